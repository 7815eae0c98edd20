import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { type AddressRange, readAddressRanges } from './address-ranges.ts'
import { duration } from './duration.ts'
import { type EventStoreConfig, readEventStore } from './event-store.ts'
import { type Environment, unknownVariables } from './unknown-variables.ts'

export interface Config {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Paths of the certificate and its key in PEM, if connections are encrypted. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** Peers whose forwarding headers are trusted. */
  readonly trustedProxies: readonly AddressRange[]
  /** The data directory. All paths are absolute. */
  readonly data: string
  readonly eventStore: EventStoreConfig
  readonly usersFile: string
  /** The first administrator's password, if set. */
  readonly adminPassword?: string
  /** The vault's keys as set, in the format of vault/keys.ts; absent when they are in `vaultKeyFile`. */
  readonly vaultKeys?: string
  readonly vaultKeyFile: string
  /** The audit key as set, in the format of audit/audit-key.ts; absent when it is in `auditKeyFile`. */
  readonly auditKey?: string
  readonly auditKeyFile: string
  /** The name of this log: the `source` of its events and the origin of its signed checkpoints. */
  readonly origin: string
  readonly listenPorts: { readonly first: number; readonly last: number }
  /** Milliseconds. */
  readonly limits: { readonly windowMax: number; readonly horizon: number }
  /** Milliseconds by which the clock may be past the log's last event at a start. */
  readonly clockAheadMax: number
  readonly logLevel: LogLevel
  /** Ignored variables, to be logged. */
  readonly warnings: readonly string[]
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Reads a value. Left completes the sentence "BERTH_X ..." without the value, which may be a secret. */
type Read<A> = (value: string) => E.Either<string, A>

/** Checks variables that hold keys. They are passed in because this room may import nothing; see checks/keys.ts. */
export interface KeyChecks {
  readonly vaultKeys: Read<string>
  readonly auditKey: Read<string>
}

const wholeNumber = (value: string, min: number, max: number): number | undefined =>
  /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

const host: Read<string> = (value) =>
  isIP(value) !== 0 || (HOST_NAME.test(value) && !/(?:^|\.)\d+$/.test(value))
    ? E.right(value)
    : E.left('must be a host name or an IP address, without a port or brackets')

const port: Read<number> = (value) => {
  if (/^(?:tcp|udp|sctp):\/\//.test(value)) {
    return E.left(
      'was set by Kubernetes for a service called "berth": put "enableServiceLinks: false" into the pod\'s spec, or set BERTH_PORT to a port',
    )
  }
  return E.fromNullable('must be a whole number from 0 to 65535')(wholeNumber(value, 0, 65535))
}

// Repeats the rule of users/password.ts, which this room may not import; test/service/config/config.test.ts compares
// the two.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const PASSWORD = /^[^\u0000-\u001f\u007f-\u009f\p{Cs}]{8,}$/u

const password: Read<string> = (value) =>
  PASSWORD.test(value) && Buffer.byteLength(value) <= 1024
    ? E.right(value)
    : E.left('must have at least 8 characters and at most 1024 bytes, without control characters')

const part = (more: string): string => `(?:[A-Za-z0-9._~!$&'()*,;=:@/${more}-]|%[0-9A-Fa-f]{2})*`
const URI_REFERENCE = new RegExp(
  `^(?:[A-Za-z][A-Za-z0-9.-]*:|(?![^/?#]*:))${part('')}(?:\\?${part('?')})?(?:#${part('?')})?$`,
)

/**
 * Valid both as a URI reference (the `source` of a CloudEvent) and as a key name without spaces and plus (C2SP
 * signed-note).
 */
const origin: Read<string> = (value) =>
  value.length <= 255 && URI_REFERENCE.test(value) && URL.canParse(value, 'http://origin.invalid')
    ? E.right(value)
    : E.left('must be a URI reference like berth or lab.example/berth, at most 255 characters, without spaces and +')

const listenPorts: Read<Config['listenPorts']> = (value) => {
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(value) ?? []
  const first = wholeNumber(from, 1, 65535)
  const last = wholeNumber(to, 1, 65535)
  return first === undefined || last === undefined || first > last
    ? E.left('must be a range of ports like 20000-29999, with the first not above the last')
    : E.right({ first, last })
}

const logLevel: Read<LogLevel> = (value) =>
  E.fromNullable(`must be one of ${LOG_LEVELS.join(', ')}`)(LOG_LEVELS.find((level) => level === value))

/**
 * Left: every problem, as a sentence that names its variable and never includes the value. Relative paths are resolved
 * against `directory`.
 */
export const readConfig = (
  environment: Environment,
  checks: KeyChecks,
  directory: string = process.cwd(),
): E.Either<readonly string[], Config> => {
  const problems: string[] = []
  const known: string[] = []
  const read = <A, B>(name: string, as: Read<A>, otherwise: B): A | B => {
    known.push(name)
    const value = environment[name]
    if (value === undefined) return otherwise
    const result = value === '' ? E.left('is empty; give it a value or unset it') : as(value)
    if (E.isRight(result)) return result.right
    problems.push(`${name} ${result.left}`)
    return otherwise
  }
  const path: Read<string> = (value) => E.right(resolve(directory, value))
  const data = read('BERTH_DATA', path, resolve(directory, 'data'))
  const inData: EventStoreConfig = { kind: 'sqlite', path: join(data, 'events.db') }
  const adminPassword = read('BERTH_ADMIN_PASSWORD', password, undefined)
  const vaultKeys = read('BERTH_VAULT_KEY', checks.vaultKeys, undefined)
  if (environment.BERTH_VAULT_KEY !== undefined && environment.BERTH_VAULT_KEY_FILE !== undefined) {
    problems.push('BERTH_VAULT_KEY and BERTH_VAULT_KEY_FILE are both set; unset one of them')
  }
  const auditKey = read('BERTH_AUDIT_KEY', checks.auditKey, undefined)
  if (environment.BERTH_AUDIT_KEY !== undefined && environment.BERTH_AUDIT_KEY_FILE !== undefined) {
    problems.push('BERTH_AUDIT_KEY and BERTH_AUDIT_KEY_FILE are both set; unset one of them')
  }
  const certificate = read('BERTH_TLS_CERT', path, undefined)
  const key = read('BERTH_TLS_KEY', path, undefined)
  if ((environment.BERTH_TLS_CERT === undefined) !== (environment.BERTH_TLS_KEY === undefined)) {
    problems.push('BERTH_TLS_CERT and BERTH_TLS_KEY must be set together')
  }
  const values: Omit<Config, 'warnings'> = {
    host: read('BERTH_HOST', host, '127.0.0.1'),
    port: read('BERTH_PORT', port, 8080),
    ...(certificate !== undefined && key !== undefined && { tls: { certificate, key } }),
    trustedProxies: read('BERTH_TRUSTED_PROXIES', readAddressRanges, []),
    data,
    eventStore: read('BERTH_EVENT_STORE', (value) => readEventStore(value, directory), inData),
    usersFile: read('BERTH_USERS', path, join(data, 'users.json')),
    ...(adminPassword !== undefined && { adminPassword }),
    ...(vaultKeys !== undefined && { vaultKeys }),
    vaultKeyFile: read('BERTH_VAULT_KEY_FILE', path, join(data, 'vault.key')),
    ...(auditKey !== undefined && { auditKey }),
    auditKeyFile: read('BERTH_AUDIT_KEY_FILE', path, join(data, 'audit.key')),
    origin: read('BERTH_ORIGIN', origin, 'berth'),
    listenPorts: read('BERTH_LISTEN_PORTS', listenPorts, { first: 20_000, last: 29_999 }),
    limits: {
      windowMax: read('BERTH_WINDOW_MAX', duration, 7 * 86_400_000),
      horizon: read('BERTH_HORIZON', duration, 366 * 86_400_000),
    },
    clockAheadMax: read('BERTH_CLOCK_AHEAD_MAX', duration, 30 * 86_400_000),
    logLevel: read('BERTH_LOG_LEVEL', logLevel, 'info'),
  }
  const { problems: unknown, warnings } = unknownVariables(environment, known)
  return problems.length + unknown.length > 0 ? E.left([...problems, ...unknown]) : E.right({ ...values, warnings })
}

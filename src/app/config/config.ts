import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { parseAuditKey } from '../../audit/audit-key.ts'
import { TARGET_VARIABLES, targetProblems } from '../../client/service/credentials.ts'
import type { Quota } from '../../domain/events/user.ts'
import { changeQuota, parseQuota, QUOTA_DEFAULT, type QuotaChange } from '../../domain/user/quota.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { passwordProblem } from '../../users/passwords/password.ts'
import { parseVaultKeys } from '../../vault/keys.ts'
import { type EventStoreConfig, readEventStore } from './event-store.ts'
import { type GatewayConfig, readGateway } from './gateway.ts'
import { type OidcConfig, oidcProblems, readOidc } from './oidc.ts'
import {
  type AddressRange,
  duration,
  type ReadValue,
  type ReadVariable,
  readAddressRanges,
  readHost,
  readOneOf,
  readWholeNumber,
} from './read.ts'
import { unknownVariables, type Variables } from './unknown-variables.ts'

/** Limits that are left out stay as they are without the variable. */
const quota: ReadValue<Quota> = (value) =>
  E.map((change: QuotaChange | null) => changeQuota(QUOTA_DEFAULT, change ?? {}))(parseQuota(value))

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
  readonly gateway: GatewayConfig
  /** Milliseconds. */
  readonly limits: { readonly windowMax: number; readonly horizon: number }
  /** The quota of testers without one of their own. */
  readonly quotaDefault: Quota
  /** Milliseconds by which the clock may be past the log's last event at a start. */
  readonly clockAheadMax: number
  /** The variables that name the service that commands ask instead of the one that runs on `data`. */
  readonly client?: Variables
  /** Single sign-on, if it is configured. */
  readonly oidc?: OidcConfig
  readonly logLevel: LogLevel
  /** Ignored variables, to be logged. */
  readonly warnings: readonly string[]
}

/** The least severe first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The configuration is wrong. Has a sentence for every problem. */
export class Misconfigured extends ExpectedError {
  override readonly exitCode = 2
}

const vaultKeys: ReadValue<string> = (value) =>
  E.bimap(
    (problems: readonly string[]) => `cannot be used: ${problems.join('; ')}`,
    () => value,
  )(parseVaultKeys(value))

const auditKey: ReadValue<string> = (value) => E.map(() => value)(parseAuditKey(value))

const port: ReadValue<number> = (value) => {
  if (/^(?:tcp|udp|sctp):\/\//.test(value)) {
    return E.left(
      'was set by Kubernetes for a service called "berth": put "enableServiceLinks: false" into the pod\'s spec, or set BERTH_PORT to a port',
    )
  }
  return readWholeNumber(0, 65_535)(value)
}

const password: ReadValue<string> = (value) =>
  passwordProblem(value) === undefined
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
const origin: ReadValue<string> = (value) =>
  value.length <= 255 && URI_REFERENCE.test(value) && URL.canParse(value, 'http://origin.invalid')
    ? E.right(value)
    : E.left('must be a URI reference like berth or lab.example/berth, at most 255 characters, without spaces and +')

const portNumber = readWholeNumber(1, 65_535)

const listenPorts: ReadValue<Config['listenPorts']> = (value) => {
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(value) ?? []
  const [first, last] = [portNumber(from), portNumber(to)]
  return E.isLeft(first) || E.isLeft(last) || first.right > last.right
    ? E.left('must be a range of ports like 20000-29999, with the first not above the last')
    : E.right({ first: first.right, last: last.right })
}

const tlsProblems = ({ BERTH_TLS_CERT, BERTH_TLS_KEY }: Variables): readonly string[] =>
  (BERTH_TLS_CERT === undefined) === (BERTH_TLS_KEY === undefined)
    ? []
    : ['BERTH_TLS_CERT and BERTH_TLS_KEY must be set together']

/** The variables that say which service is asked, and as whom; undefined if none is set. */
const clientOf = (environment: Variables): Variables | undefined => {
  const set = TARGET_VARIABLES.filter((name) => environment[name] !== undefined)
  return set.length === 0 ? undefined : Object.fromEntries(set.map((name) => [name, environment[name]]))
}

/** The variables without these: a service that a test starts has those of the one that its machine is reserved in. */
export const withoutClient = (environment: Variables): Variables => ({
  ...environment,
  ...Object.fromEntries(TARGET_VARIABLES.map((name) => [name, undefined])),
})

/**
 * Left: every problem, as a sentence that names its variable and never includes the value. Relative paths are resolved
 * against `directory`.
 */
export const readConfig = (
  environment: Variables,
  directory: string = process.cwd(),
): E.Either<readonly string[], Config> => {
  const problems: string[] = []
  const known: string[] = []
  const read: ReadVariable = (name, as, otherwise) => {
    known.push(name)
    const value = environment[name]
    if (value === undefined) return otherwise
    const result = value === '' ? E.left('is empty; give it a value or unset it') : as(value)
    if (E.isRight(result)) return result.right
    problems.push(`${name} ${result.left}`)
    return otherwise
  }
  const path: ReadValue<string> = (value) => E.right(resolve(directory, value))
  const data = read('BERTH_DATA', path, resolve(directory, 'data'))
  const inData: EventStoreConfig = { kind: 'sqlite', path: join(data, 'events.db') }
  const adminPassword = read('BERTH_ADMIN_PASSWORD', password, undefined)
  for (const name of ['BERTH_VAULT_KEY', 'BERTH_AUDIT_KEY']) {
    if (environment[name] !== undefined && environment[`${name}_FILE`] !== undefined)
      problems.push(`${name} and ${name}_FILE are both set; unset one of them`)
  }
  const ring = read('BERTH_VAULT_KEY', vaultKeys, undefined)
  const signing = read('BERTH_AUDIT_KEY', auditKey, undefined)
  const certificate = read('BERTH_TLS_CERT', path, undefined)
  const key = read('BERTH_TLS_KEY', path, undefined)
  problems.push(...tlsProblems(environment), ...oidcProblems(environment))
  const client = clientOf(environment)
  if (client !== undefined) problems.push(...targetProblems(client))
  known.push(...TARGET_VARIABLES)
  const oidc = readOidc(read, directory)
  const host = read('BERTH_HOST', readHost, '127.0.0.1')
  const values: Omit<Config, 'warnings'> = {
    host,
    port: read('BERTH_PORT', port, 8080),
    ...(certificate !== undefined && key !== undefined && { tls: { certificate, key } }),
    trustedProxies: read('BERTH_TRUSTED_PROXIES', readAddressRanges, []),
    data,
    eventStore: read('BERTH_EVENT_STORE', (value) => readEventStore(value, directory), inData),
    ...(adminPassword !== undefined && { adminPassword }),
    ...(ring !== undefined && { vaultKeys: ring }),
    vaultKeyFile: read('BERTH_VAULT_KEY_FILE', path, join(data, 'vault.key')),
    ...(signing !== undefined && { auditKey: signing }),
    auditKeyFile: read('BERTH_AUDIT_KEY_FILE', path, join(data, 'audit.key')),
    origin: read('BERTH_ORIGIN', origin, 'berth'),
    listenPorts: read('BERTH_LISTEN_PORTS', listenPorts, { first: 20_000, last: 29_999 }),
    gateway: readGateway(read, { host }),
    limits: {
      windowMax: read('BERTH_WINDOW_MAX', duration, 7 * 86_400_000),
      horizon: read('BERTH_HORIZON', duration, 366 * 86_400_000),
    },
    quotaDefault: read('BERTH_QUOTA_DEFAULT', quota, QUOTA_DEFAULT),
    clockAheadMax: read('BERTH_CLOCK_AHEAD_MAX', duration, 30 * 86_400_000),
    ...(client && { client }),
    ...(oidc && { oidc }),
    logLevel: read('BERTH_LOG_LEVEL', readOneOf(...LOG_LEVELS), 'info'),
  }
  const { problems: unknown, warnings } = unknownVariables(environment, known)
  return problems.length + unknown.length > 0 ? E.left([...problems, ...unknown]) : E.right({ ...values, warnings })
}

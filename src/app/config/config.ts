import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { parseAuditKey } from '../../audit/audit-key.ts'
import { TARGET_VARIABLES } from '../../client/service/credentials.ts'
import { QUOTA_DEFAULT } from '../../domain/user/quota.ts'
import { parseRoleMapping } from '../../domain/user/role-mapping.ts'
import { parseScope, type Scope } from '../../domain/user/scope.ts'
import { pick } from '../../domain/values/pick.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { didYouMean } from './suggest.ts'
import {
  durationWithin,
  type EventStoreConfig,
  type ReadValue,
  readAddressRanges,
  readAdminPassword,
  readDuration,
  readEventStore,
  readHost,
  readIssuer,
  readName,
  readOneOf,
  readOrigin,
  readPort,
  readPortRange,
  readPublicUrl,
  readQuota,
  readVaultKeys,
  readWholeNumber,
} from './values.ts'

/** The least severe first. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The configuration is wrong. Has a sentence for every problem. */
export class Misconfigured extends ExpectedError {
  override readonly exitCode = 2
}

type Variables = Readonly<Record<string, string | undefined>>

/** Reads a variable, or takes `otherwise` where it is not set; collects the problems. */
type ReadVariable = <A, B>(name: string, as: ReadValue<A>, otherwise: B) => A | B

const DAY_MS = 86_400_000
const upToTwoMinutes = durationWithin('PT0.1S', 'PT2M')

/** `host` is that of the service itself. Times are in milliseconds. */
const readGateway = (read: ReadVariable, host: string) => ({
  isOn: read('BERTH_GATEWAY', readOneOf('on', 'off'), 'on') === 'on',
  /** The address that the ports of reservations listen on. */
  host: read('BERTH_GATEWAY_HOST', readHost, host),
  /** What clients connect to, if it is another name or address. */
  publicHost: read('BERTH_GATEWAY_PUBLIC_HOST', readHost, undefined),
  /** Who may connect: only the address that a reservation is bound to, or anybody. */
  clients: read('BERTH_GATEWAY_CLIENTS', readOneOf('holder', 'any'), 'holder'),
  /** Bits of an IPv6 address that count as one client. */
  ipv6Prefix: read('BERTH_GATEWAY_IPV6_PREFIX', readWholeNumber(1, 128), 128),
  connectionsOfOneMax: read('BERTH_GATEWAY_CONNECTIONS_OF_ONE', readWholeNumber(1, 4_096), 64),
  connectionsMax: read('BERTH_GATEWAY_CONNECTIONS_MAX', readWholeNumber(1, 65_536), 4_096),
  connectTimeoutMs: read('BERTH_GATEWAY_CONNECT_TIMEOUT', upToTwoMinutes, 10_000),
  handshakeTimeoutMs: read('BERTH_GATEWAY_HANDSHAKE_TIMEOUT', upToTwoMinutes, 30_000),
  /** The tags that a SUT must have to be forwarded and probed by this instance; all SUTs if there are none. */
  suts: read<Scope, Scope>('BERTH_GATEWAY_SUTS', parseScope, {}),
})

/** Single sign-on with an OpenID Connect provider; undefined unless it is configured. */
const readOidc = (read: ReadVariable, path: ReadValue<string>) => {
  const issuer = read('BERTH_OIDC_ISSUER', readIssuer, undefined)
  const clientId = read('BERTH_OIDC_CLIENT_ID', readName, undefined)
  const clientSecretFile = read('BERTH_OIDC_CLIENT_SECRET_FILE', path, undefined)
  const roles = read('BERTH_OIDC_ROLES', parseRoleMapping, undefined)
  const publicUrl = read('BERTH_PUBLIC_URL', readPublicUrl, undefined)
  /** The claim whose values bring roles. */
  const claim = read('BERTH_OIDC_CLAIM', readName, 'groups')
  if (issuer === undefined || clientId === undefined || clientSecretFile === undefined) return undefined
  if (roles === undefined || publicUrl === undefined) return undefined
  // The provider sends people back to the last one.
  return { issuer, clientId, clientSecretFile, claim, roles, redirectUri: `${publicUrl}/login/callback` }
}

/** The variables that say which service is asked, and as whom, unread; undefined if none is set. */
const clientOf = (environment: Variables): Variables | undefined =>
  TARGET_VARIABLES.some((name) => environment[name] !== undefined) ? pick(environment, TARGET_VARIABLES) : undefined

/** All settings. Relative paths are resolved against the directory, so that all paths are absolute. */
const readAll = (read: ReadVariable, environment: Variables, directory: string) => {
  const path: ReadValue<string> = (value) => E.right(resolve(directory, value))
  const data = read('BERTH_DATA', path, resolve(directory, 'data'))
  const inData: EventStoreConfig = { kind: 'sqlite', path: join(data, 'events.db') }
  const certificate = read('BERTH_TLS_CERT', path, undefined)
  const key = read('BERTH_TLS_KEY', path, undefined)
  const host = read('BERTH_HOST', readHost, '127.0.0.1')
  return {
    host,
    /** 0 picks a free port. */
    port: read('BERTH_PORT', readPort, 8080),
    /** Paths of the certificate and its key in PEM, if connections are encrypted. */
    tls: certificate === undefined || key === undefined ? undefined : { certificate, key },
    /** Peers whose forwarding headers are trusted. */
    trustedProxies: read('BERTH_TRUSTED_PROXIES', readAddressRanges, []),
    data,
    eventStore: read('BERTH_EVENT_STORE', (value) => readEventStore(value, directory), inData),
    adminPassword: read('BERTH_ADMIN_PASSWORD', readAdminPassword, undefined),
    /** The vault's keys; undefined when they are in `vaultKeyFile`. */
    vaultKeys: read('BERTH_VAULT_KEY', readVaultKeys, undefined),
    vaultKeyFile: read('BERTH_VAULT_KEY_FILE', path, join(data, 'vault.key')),
    /** The audit key; undefined when it is in `auditKeyFile`. */
    auditKey: read('BERTH_AUDIT_KEY', parseAuditKey, undefined),
    auditKeyFile: read('BERTH_AUDIT_KEY_FILE', path, join(data, 'audit.key')),
    /** The name of this log: the `source` of its events and the origin of its signed checkpoints. */
    origin: read('BERTH_ORIGIN', readOrigin, 'berth'),
    listenPorts: read('BERTH_LISTEN_PORTS', readPortRange, { first: 20_000, last: 29_999 }),
    gateway: readGateway(read, host),
    /** Milliseconds. */
    limits: {
      windowMax: read('BERTH_WINDOW_MAX', readDuration, 7 * DAY_MS),
      horizon: read('BERTH_HORIZON', readDuration, 366 * DAY_MS),
    },
    /** The quota of testers without one of their own. */
    quotaDefault: read('BERTH_QUOTA_DEFAULT', readQuota, QUOTA_DEFAULT),
    /** Milliseconds by which the clock may be past the log's last event at a start. */
    clockAheadMax: read('BERTH_CLOCK_AHEAD_MAX', readDuration, 30 * DAY_MS),
    /** The variables that name the service that commands ask instead of the one that runs on `data`. */
    client: clientOf(environment),
    oidc: readOidc(read, path),
    /** Where webhooks may send without encryption: to private networks only, or anywhere. */
    webhookHttp: read('BERTH_WEBHOOK_HTTP', readOneOf('private', 'any'), 'private'),
    logLevel: read('BERTH_LOG_LEVEL', readOneOf(...LOG_LEVELS), 'info'),
  }
}

export interface Config extends Readonly<ReturnType<typeof readAll>> {
  /** Ignored variables, to be logged. */
  readonly warnings: readonly string[]
}

/** None of these works alone. `more` is of no use without them. */
const TOGETHER: readonly { readonly names: readonly string[]; readonly more?: string }[] = [
  { names: ['BERTH_TLS_CERT', 'BERTH_TLS_KEY'] },
  {
    names: [
      ...['BERTH_OIDC_ISSUER', 'BERTH_OIDC_CLIENT_ID', 'BERTH_OIDC_CLIENT_SECRET_FILE', 'BERTH_OIDC_ROLES'],
      'BERTH_PUBLIC_URL',
    ],
    more: 'BERTH_OIDC_CLAIM',
  },
]
/** Each may be a value, or in a file that another variable names. */
const EITHER = ['BERTH_VAULT_KEY', 'BERTH_AUDIT_KEY']

/** Variables that do not go together, as sentences. */
const combinationProblems = (environment: Variables): readonly string[] => {
  const isSet = (name: string): boolean => environment[name] !== undefined
  const incomplete = TOGETHER.flatMap(({ names, more }) => {
    const missing = names.filter((name) => !isSet(name))
    if (missing.length === 0 || (missing.length === names.length && !(more && isSet(more)))) return []
    const verb = missing.length > 1 ? 'are' : 'is'
    return [`${names.join(', ')} must be set together: ${missing.join(', ')} ${verb} missing`]
  })
  const double = EITHER.filter((name) => isSet(name) && isSet(`${name}_FILE`))
  return [...incomplete, ...double.map((name) => `${name} and ${name}_FILE are both set; unset one of them`)]
}

// Kubernetes sets these in every pod of a namespace with a service called "berth" or "berth-...".
const SERVICE_LINK =
  /^BERTH_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/

const isServiceLink = ([name, value = '']: readonly [string, string | undefined]): boolean =>
  SERVICE_LINK.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))

/** Left: every problem, as a sentence that names its variable and never includes the value. */
export const readConfig = (
  environment: Variables,
  directory: string = process.cwd(),
): E.Either<readonly string[], Config> => {
  const problems: string[] = []
  const known: string[] = [...TARGET_VARIABLES]
  const read: ReadVariable = (name, as, otherwise) => {
    known.push(name)
    const value = environment[name]
    if (value === undefined) return otherwise
    const result = value === '' ? E.left('is empty; give it a value or unset it') : as(value)
    if (E.isRight(result)) return result.right
    problems.push(`${name} ${result.left}`)
    return otherwise
  }
  const config = readAll(read, environment, directory)
  problems.push(...combinationProblems(environment))
  const unknown = Object.entries(environment).filter(
    ([name, value]) => value !== undefined && name.startsWith('BERTH_') && !known.includes(name),
  )
  const [links, others] = [unknown.filter(isServiceLink), unknown.filter((each) => !isServiceLink(each))]
  problems.push(...others.map(([name]) => `${name} is not a Berth variable${didYouMean(name, known)}`))
  if (problems.length > 0) return E.left(problems)
  const names = links.map(([name]) => name).sort()
  const warnings = links.length === 0 ? [] : [`${names.join(', ')}: Kubernetes service links; ignored`]
  return E.right({ ...config, warnings })
}

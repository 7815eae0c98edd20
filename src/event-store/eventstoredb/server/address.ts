import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { decodePercent } from '../../../domain/values/text.ts'

/** Connection settings of an EventStoreDB or KurrentDB. All times are in milliseconds. */
export interface EventStoreDbAddress {
  /** Cluster nodes, any of which knows the others; or the single node. */
  readonly hosts: readonly { readonly address: string; readonly port: number }[]
  /** Whether the single host is the DNS name of a cluster. */
  readonly isDiscovered: boolean
  readonly tls: boolean
  /** A PEM file with the trusted authorities, instead of the system's. */
  readonly caFile?: string
  readonly credentials?: { readonly username: string; readonly password: string }
  readonly connectionName?: string
  /** Prefix of this log's stream names, for clusters shared by several logs. */
  readonly streamPrefix?: string
  readonly maxDiscoverAttempts?: number
  readonly discoveryInterval?: number
  readonly gossipTimeout?: number
  readonly keepAliveInterval?: number
  readonly keepAliveTimeout?: number
  /** Timeout of a call. */
  readonly deadline?: number
}

const DEFAULT_PORT = 2113

/** What an option sets, or what is wrong with its value. */
type Option = (value: string) => Partial<EventStoreDbAddress> | string

const whole =
  (name: keyof EventStoreDbAddress, min = 1, unit = 1): Option =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min
      ? { [name]: Number(value) * unit }
      : `must be a whole number, at least ${min}`

const encoded =
  (name: keyof EventStoreDbAddress): Option =>
  (value) => {
    const text = decodePercent(value)
    return text === undefined ? 'is not percent-encoded' : { [name]: text }
  }

const mustBe =
  (wanted: string, why = ''): Option =>
  (value) =>
    value.toLowerCase() === wanted ? {} : `must be ${wanted}${why}`

const unsupported: Option = () => 'is not supported: give a name and a password'

/**
 * Options of the vendor's connection strings, in lower case because names are case-insensitive, and our own
 * `streamPrefix`.
 */
const options: Readonly<Record<string, Option>> = {
  tls: (value) => (/^(?:true|false)$/.test(value) ? { tls: value === 'true' } : 'must be true or false'),
  tlscafile: encoded('caFile'),
  tlsverifycert: mustBe('true', ': certificates are always verified; give tlsCAFile instead'),
  streamprefix: (value) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value)
      ? { streamPrefix: value }
      : 'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit',
  connectionname: encoded('connectionName'),
  nodepreference: mustBe('leader', ': commands read from the node that writes'),
  throwonappendfailure: mustBe('true'),
  maxdiscoverattempts: whole('maxDiscoverAttempts'),
  discoveryinterval: whole('discoveryInterval'),
  // This option is in seconds.
  gossiptimeout: whole('gossipTimeout', 1, 1_000),
  keepaliveinterval: whole('keepAliveInterval', 10_000),
  keepalivetimeout: whole('keepAliveTimeout'),
  defaultdeadline: whole('deadline'),
  usercertfile: unsupported,
  userkeyfile: unsupported,
}

const HOST = /^([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?)(?::(\d{1,5}))?$/

const readHosts = (text: string, problems: string[]): EventStoreDbAddress['hosts'] =>
  text.split(',').flatMap((part) => {
    const [, address, port = String(DEFAULT_PORT)] = HOST.exec(part) ?? []
    if (address !== undefined && Number(port) >= 1 && Number(port) <= 65535) return [{ address, port: Number(port) }]
    problems.push('must list hosts like eventstore.lab.example:2113, separated by commas')
    return []
  })

const readOptions = (text: string, problems: string[]): Partial<EventStoreDbAddress> => {
  const known: Partial<EventStoreDbAddress>[] = []
  for (const part of text === '' ? [] : text.split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s, 2)
    const read = options[name.toLowerCase().replaceAll(/[_-]/g, '')]?.(value)
    if (read === undefined) problems.push(`has an unknown option: ${JSON.stringify(name)}`)
    else if (typeof read === 'string') problems.push(`${name} ${read}`)
    else known.push(read)
  }
  return Object.assign({}, ...known)
}

const readCredentials = (text: string, problems: string[]): EventStoreDbAddress['credentials'] => {
  const [name = '', secret = ''] = text.split(/:(.*)/s, 2)
  const [username, password] = [decodePercent(name), decodePercent(secret)]
  if (username && password) return { username, password }
  problems.push('must have the name and the password as name:password, each percent-encoded')
  return undefined
}

/** Contradictory options. Without this check they would only show as connections that fail for no visible reason. */
const findContradictions = (address: EventStoreDbAddress): readonly string[] => {
  const { hosts, tls, credentials, caFile, isDiscovered } = address
  const contradictions: readonly (readonly [boolean, string])[] = [
    [
      tls && hosts.some((host) => isIP(host.address) !== 0),
      'cannot use an IP address with TLS: certificates are checked against host names; give a name, or tls=false',
    ],
    [tls && credentials === undefined, 'must have a name and a password with TLS, like esdb://name:password@host:2113'],
    [!tls && credentials !== undefined, 'cannot have a password with tls=false, which has no users'],
    [!tls && caFile !== undefined, 'cannot have a tlsCAFile with tls=false'],
    [isDiscovered && hosts.length > 1, 'must have one host with esdb+discover, or several with esdb'],
  ]
  return contradictions.flatMap(([isSo, problem]) => (isSo ? [problem] : []))
}

/**
 * Parses the vendor's connection string, `esdb://[name:password@]host[:port][,host...][?option=value&...]`. The
 * client's own parser prints unknown parts, including the password.
 *
 * @returns Left: every problem. Each completes the sentence "the address ..." and contains no value.
 */
export const readEventStoreDbAddress = (text: string): E.Either<readonly string[], EventStoreDbAddress> => {
  const parts = /^(esdb(?:\+discover)?):\/\/(?:([^@/?]*)@)?([^/?@]*)\/?(?:\?(.*))?$/s.exec(text)
  if (parts === null) return E.left(['must be like esdb://name:password@host:2113?tls=true'])
  const [, scheme, user, hosts = '', query = ''] = parts
  const problems: string[] = []
  const credentials = user === undefined ? undefined : readCredentials(user, problems)
  const address: EventStoreDbAddress = {
    hosts: readHosts(hosts, problems),
    isDiscovered: scheme === 'esdb+discover',
    tls: true,
    ...(credentials && { credentials }),
    ...readOptions(query, problems),
  }
  const all = problems.length > 0 ? problems : findContradictions(address)
  return all.length > 0 ? E.left(all) : E.right(address)
}

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

type Option = (value: string) => E.Either<string, Partial<EventStoreDbAddress>>

const integerOption =
  (min: number, make: (number: number) => Partial<EventStoreDbAddress>): Option =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min
      ? E.right(make(Number(value)))
      : E.left(`must be a whole number, at least ${min}`)

const booleanOption =
  (make: (value: boolean) => E.Either<string, Partial<EventStoreDbAddress>>): Option =>
  (value) =>
    value === 'true' || value === 'false' ? make(value === 'true') : E.left('must be true or false')

const textOption =
  (make: (value: string) => Partial<EventStoreDbAddress>): Option =>
  (value) =>
    E.map(make)(E.fromNullable('is not percent-encoded')(decodePercent(value)))

/**
 * Options of the vendor's connection strings, in lower case because names are case-insensitive, and our own
 * `streamPrefix`.
 */
const options: Readonly<Record<string, Option>> = {
  tls: booleanOption((tls) => E.right({ tls })),
  tlscafile: textOption((caFile) => ({ caFile })),
  tlsverifycert: booleanOption((isVerified) =>
    isVerified ? E.right({}) : E.left('must be true: certificates are always verified; give tlsCAFile instead'),
  ),
  streamprefix: (value) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value)
      ? E.right({ streamPrefix: value })
      : E.left('must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit'),
  connectionname: textOption((connectionName) => ({ connectionName })),
  nodepreference: (value) =>
    value.toLowerCase() === 'leader' ? E.right({}) : E.left('must be leader: commands read from the node that writes'),
  throwonappendfailure: booleanOption((throws) => (throws ? E.right({}) : E.left('must be true'))),
  maxdiscoverattempts: integerOption(1, (maxDiscoverAttempts) => ({ maxDiscoverAttempts })),
  discoveryinterval: integerOption(1, (discoveryInterval) => ({ discoveryInterval })),
  // This option is in seconds.
  gossiptimeout: integerOption(1, (seconds) => ({ gossipTimeout: seconds * 1_000 })),
  keepaliveinterval: integerOption(10_000, (keepAliveInterval) => ({ keepAliveInterval })),
  keepalivetimeout: integerOption(1, (keepAliveTimeout) => ({ keepAliveTimeout })),
  defaultdeadline: integerOption(1, (deadline) => ({ deadline })),
  usercertfile: () => E.left('is not supported: give a name and a password'),
  userkeyfile: () => E.left('is not supported: give a name and a password'),
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
    const option = options[name.toLowerCase().replaceAll(/[_-]/g, '')]
    if (option === undefined) problems.push(`has an unknown option: ${JSON.stringify(name)}`)
    else {
      const read = option(value)
      if (E.isRight(read)) known.push(read.right)
      else problems.push(`${name} ${read.left}`)
    }
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
const findContradictions = ({
  hosts,
  tls,
  credentials,
  caFile,
  isDiscovered,
}: EventStoreDbAddress): readonly string[] => [
  ...(tls && hosts.some(({ address }) => isIP(address) !== 0)
    ? ['cannot use an IP address with TLS: certificates are checked against host names; give a name, or tls=false']
    : []),
  ...(tls && credentials === undefined
    ? ['must have a name and a password with TLS, like esdb://name:password@host:2113']
    : []),
  ...(!tls && credentials !== undefined ? ['cannot have a password with tls=false, which has no users'] : []),
  ...(!tls && caFile !== undefined ? ['cannot have a tlsCAFile with tls=false'] : []),
  ...(isDiscovered && hosts.length > 1 ? ['must have one host with esdb+discover, or several with esdb'] : []),
]

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

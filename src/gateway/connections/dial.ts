import { type LookupAddress, lookup } from 'node:dns'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { ConnectFailure } from './causes.ts'
import { SOCKET_OPTIONS } from './sockets.ts'

type OnFound = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void

const waiting = new Map<string, OnFound[]>()

/**
 * Resolves a host name as the system does. Concurrent look-ups of one name share a call, because calls occupy threads
 * that the whole process shares. Nothing is cached. Bounded by the number of connections.
 */
const lookUp = (host: string, onFound: OnFound): void => {
  const others = waiting.get(host)
  if (others !== undefined) {
    others.push(onFound)
    return
  }
  waiting.set(host, [onFound])
  lookup(host, { all: true }, (error, addresses) => {
    const all = waiting.get(host) ?? []
    waiting.delete(host)
    for (const each of all) each(error, addresses)
  })
}

export interface DialTarget {
  readonly host: string
  readonly port: number
}

export interface DialOptions {
  /** For looking up the name and connecting together. */
  readonly timeoutMs: number
  /** Whether an address is Berth's own. Berth never connects to those. */
  readonly isOwn: (address: string, port: number) => boolean
}

const OWN_ADDRESS = 'BERTH_OWN_ADDRESS'

const FAILURES: Readonly<Record<string, ConnectFailure>> = {
  [OWN_ADDRESS]: 'own_address',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  ETIMEDOUT: 'timed_out',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'timed_out',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EAI_FAIL: 'unknown_host',
  EAI_NODATA: 'unknown_host',
  EAI_NONAME: 'unknown_host',
}

const failureOf = ({ code = '' }: NodeJS.ErrnoException): ConnectFailure => FAILURES[code] ?? 'unreachable'

const ownAddress = (): Error =>
  Object.assign(new Error('this is an address of the service itself'), { code: OWN_ADDRESS })

/** Checks the very addresses that are then connected to: a name could resolve differently a moment later. */
const checkedLookup =
  (port: number, isOwn: DialOptions['isOwn']): LookupFunction =>
  (host, { all }, callback) =>
    lookUp(host, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) callback(error ?? new Error('no address'), [])
      else if (addresses.some(({ address }) => isOwn(address, port))) callback(ownAddress(), [])
      else if (all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })

export interface Dial {
  readonly result: Promise<Socket | ConnectFailure>
  /** Gives up; the result is then meaningless. */
  readonly abandon: () => unknown
}

/** Addresses of a name that share the limit equally. Others are tried if these fail sooner. */
const TRIES = 3
/** Node allows no less. */
const ATTEMPT_TIMEOUT_MIN_MS = 10

/** Connects to a SUT. If its name has several addresses, tries them as in RFC 8305. */
export const dial = ({ host, port }: DialTarget, { timeoutMs, isOwn }: DialOptions): Dial => {
  if (isIP(host) !== 0 && isOwn(host, port)) return { result: Promise.resolve('own_address'), abandon: () => undefined }
  const { promise, resolve } = Promise.withResolvers<Socket | ConnectFailure>()
  const autoSelectFamilyAttemptTimeout = Math.max(ATTEMPT_TIMEOUT_MIN_MS, Math.floor(timeoutMs / TRIES))
  const lookup = checkedLookup(port, isOwn)
  const socket = connect({ ...SOCKET_OPTIONS, host, port, lookup, autoSelectFamilyAttemptTimeout })
  const fail = (failure: ConnectFailure): void => {
    clearTimeout(timer)
    socket.destroy()
    resolve(failure)
  }
  const onError = (error: Error): void => fail(failureOf(error))
  const timer = setTimeout(() => fail('timed_out'), timeoutMs)
  socket.on('error', onError).once('connect', () => {
    clearTimeout(timer)
    socket.off('error', onError)
    resolve(socket)
  })
  return { result: promise, abandon: () => socket.connecting && fail('timed_out') }
}

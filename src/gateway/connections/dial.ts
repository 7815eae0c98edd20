import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { FailureCause } from './causes.ts'
import { SOCKET_OPTIONS } from './sockets.ts'

const lookingUp = new Map<string, Promise<LookupAddress[]>>()

/**
 * Resolves a host name as the system does. Concurrent look-ups of one name share a call, because calls occupy threads
 * that the whole process shares. Nothing is cached. Bounded by the number of connections.
 */
const lookUp = (host: string): Promise<LookupAddress[]> => {
  const running = lookingUp.get(host) ?? lookup(host, { all: true }).finally(() => lookingUp.delete(host))
  lookingUp.set(host, running)
  return running
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
  /** Gives up while it is connecting; the result is then meaningless. */
  readonly signal: AbortSignal
}

const OWN_ADDRESS = 'BERTH_OWN_ADDRESS'

const FAILURES: Readonly<Record<string, FailureCause>> = {
  [OWN_ADDRESS]: 'own_address',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  ETIMEDOUT: 'timed_out',
  ABORT_ERR: 'timed_out',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'timed_out',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EAI_FAIL: 'unknown_host',
  EAI_NODATA: 'unknown_host',
  EAI_NONAME: 'unknown_host',
}

const ownAddress = (): Error =>
  Object.assign(new Error('this is an address of the service itself'), { code: OWN_ADDRESS })

/** Checks the very addresses that are then connected to: a name could resolve differently a moment later. */
const checkedLookup =
  (port: number, isOwn: DialOptions['isOwn']): LookupFunction =>
  (host, { all }, callback) => {
    const answer = (addresses: LookupAddress[]): void => {
      const [first] = addresses
      if (first === undefined) callback(new Error('no address'), [])
      else if (addresses.some(({ address }) => isOwn(address, port))) callback(ownAddress(), [])
      else if (all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    lookUp(host).then(answer, (error) => callback(error, []))
  }

/** Addresses of a name that share the limit equally. Others are tried if these fail sooner. */
const TRIES = 3
/** Node allows no less. */
const ATTEMPT_TIMEOUT_MIN_MS = 10

/** Connects to a SUT. If its name has several addresses, tries them as in RFC 8305. The caller handles errors. */
export const dial = async (
  { host, port }: DialTarget,
  { timeoutMs, isOwn, signal }: DialOptions,
): Promise<Socket | FailureCause> => {
  if (isIP(host) !== 0 && isOwn(host, port)) return 'own_address'
  const autoSelectFamilyAttemptTimeout = Math.max(ATTEMPT_TIMEOUT_MIN_MS, Math.floor(timeoutMs / TRIES))
  const lookup = checkedLookup(port, isOwn)
  const socket = connect({ ...SOCKET_OPTIONS, host, port, lookup, autoSelectFamilyAttemptTimeout })
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    return socket
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    return FAILURES[(error as NodeJS.ErrnoException).code ?? ''] ?? 'unreachable'
  }
}

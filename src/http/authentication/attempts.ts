import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { clientNetworkOf } from '../protocol/client-address.ts'

const MINUTE_MS = 60_000
/** Expired counts removed at once, which takes 0.3 ms. */
const REMOVED_AT_ONCE = 1_000

/** Attempts under one key within a minute. */
interface Count {
  /** The beginning of the minute: the first failure, or an earlier attempt. */
  readonly since: number
  readonly failed: number
  /** Attempts refused unchecked for lack of capacity. */
  readonly refused: number
  readonly inFlight: number
}

/** A clock that goes back ends the minute rather than extending it. */
const isOver = ({ since }: Count, now: number): boolean => now < since || now >= since + MINUTE_MS

const isIdle = (count: Count, now: number): boolean => count.inFlight === 0 && isOver(count, now)

/** How an attempt ended. `refused`: it was not checked. */
export type AttemptOutcome = 'passed' | 'failed' | 'refused'

/** Counts attempts by key. Beyond `max` keys, the count that changed least recently is dropped. */
const makeFailureCounts = (max: number) => {
  // Not `max`, which would allocate room for all of them now.
  const counts = new LRUCache<string, Count>({ maxSize: max, sizeCalculation: () => 1 })

  /** Stores a count, and removes expired ones that changed before all others: after a flood, over several attempts. */
  const set = (key: string, count: Count, now: number): void => {
    counts.set(key, count)
    for (const oldest of counts.rkeys().take(REMOVED_AT_ONCE)) {
      if (!isIdle(counts.peek(oldest) as Count, now)) break
      counts.delete(oldest)
    }
  }

  /** The current count. An expired one keeps only attempts in flight. */
  const current = (key: string, now: number): Count => {
    const count = counts.peek(key)
    if (count === undefined) return { since: now, failed: 0, refused: 0, inFlight: 0 }
    return isOver(count, now) ? { since: now, failed: 0, refused: 0, inFlight: count.inFlight } : count
  }

  return {
    /** Seconds until fewer than `most` failures lie within a minute. */
    waitOf: (key: string, most: number, now: number): number => {
      const { since, failed, inFlight } = current(key, now)
      if (failed >= most) return Math.ceil((since + MINUTE_MS - now) / 1000)
      return failed + inFlight >= most ? 1 : 0
    },
    /** Attempts within the minute, checked or not. */
    tried: (key: string, now: number): number => {
      const { failed, refused, inFlight } = current(key, now)
      return failed + refused + inFlight
    },
    begin: (key: string, now: number): void => {
      const count = current(key, now)
      set(key, { ...count, inFlight: count.inFlight + 1 }, now)
    },
    end: (key: string, how: AttemptOutcome, now: number): void => {
      // An attempt evicted while in flight still counts.
      const count = current(key, now)
      const ended = { ...count, inFlight: Math.max(0, count.inFlight - 1) }
      if (how === 'failed') {
        const since = count.failed === 0 ? now : count.since
        set(key, { ...ended, since, failed: count.failed + 1 }, now)
      } else if (how === 'refused') set(key, { ...ended, refused: count.refused + 1 }, now)
      else if (ended.failed + ended.refused + ended.inFlight === 0) counts.delete(key)
      else set(key, ended, now)
    },
    size: () => counts.size,
  }
}

/** Failed attempts per minute before a lockout: per address and name, and per address. */
const OF_NAME_MAX = 10
const OF_ADDRESS_MAX = 100
/** Attempts each name still has at a locked-out address. */
const OF_NAME_AT_BARRED_MAX = 3

/** Addresses counted at once, about 300 bytes each. */
const ADDRESSES_MAX = 65_536
/**
 * Pairs of an address and a known name counted at once, as large. To drop a count by filling this, a client makes 2,000
 * attempts a second from 1,300 addresses for a minute, and gains ten more guesses.
 */
const PAIRS_MAX = 131_072
/**
 * Pairs of an address and an unknown name counted at once. A flood from 8,192 connections, each waiting two seconds for
 * its refusal, makes fewer in a minute.
 */
const UNKNOWN_PAIRS_MAX = 262_144

/** Counts failed logins by address and name. */
export interface Attempts {
  /** Seconds until this address may try this name again; 0 if it may now. */
  readonly lockoutSeconds: (address: string, name: string) => number
  /** Which attempts to check first: of names with fewer attempts from this address, then of addresses with fewer. */
  readonly rank: (address: string, name: string) => number
  /** Begins an attempt. It counts until the returned function reports how it ended, and after that if it failed. */
  readonly begin: (address: string, name: string) => (how: AttemptOutcome) => void
  /** Seconds until this address may send another wrong token; 0 if it may now. */
  readonly addressLockoutSeconds: (address: string) => number
  /** Counts a wrong token, which names no user. */
  readonly failed: (address: string) => void
  /** How many names and addresses are being counted. */
  readonly size: () => number
}

export interface AttemptsOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Whether a user has this name. */
  readonly isKnown: (name: string) => boolean
  /** Keeps the names that were typed from being guessed by the keys of their counts. */
  readonly secret: string
  readonly addressesMax?: number
  readonly pairsMax?: number
  readonly unknownPairsMax?: number
}

export const makeAttempts = (options: AttemptsOptions): Attempts => {
  const { clock, isKnown, secret } = options
  const known = makeFailureCounts(options.pairsMax ?? PAIRS_MAX)
  // Anyone can make up unknown names. They must not evict counts of known ones.
  const unknown = makeFailureCounts(options.unknownPairsMax ?? UNKNOWN_PAIRS_MAX)
  const addresses = makeFailureCounts(options.addressesMax ?? ADDRESSES_MAX)

  /** Chooses the counts and the key of a count. The key is a hash: a password may have been typed as a name. */
  const countOf = (network: string, name: string) => ({
    counts: isKnown(name) ? known : unknown,
    pair: hash('sha256', `${secret}\n${network}\n${name}`, 'base64url').slice(0, 22),
  })

  return {
    lockoutSeconds: (address, name) => {
      const network = clientNetworkOf(address)
      const { counts, pair } = countOf(network, name)
      const now = clock()
      const ofAddress = addresses.waitOf(network, OF_ADDRESS_MAX, now)
      const ofNameThere = Math.min(ofAddress, counts.waitOf(pair, OF_NAME_AT_BARRED_MAX, now))
      return Math.max(ofNameThere, counts.waitOf(pair, OF_NAME_MAX, now))
    },
    rank: (address, name) => {
      const network = clientNetworkOf(address)
      const { counts, pair } = countOf(network, name)
      const ofAddress = addresses.tried(network, clock())
      return counts.tried(pair, clock()) + ofAddress / (ofAddress + 1)
    },
    begin: (address, name) => {
      const network = clientNetworkOf(address)
      const { counts, pair } = countOf(network, name)
      counts.begin(pair, clock())
      addresses.begin(network, clock())
      return (how) => {
        counts.end(pair, how, clock())
        addresses.end(network, how === 'refused' ? 'passed' : how, clock())
      }
    },
    addressLockoutSeconds: (address) => addresses.waitOf(clientNetworkOf(address), OF_ADDRESS_MAX, clock()),
    failed: (address) => {
      const network = clientNetworkOf(address)
      addresses.begin(network, clock())
      addresses.end(network, 'failed', clock())
    },
    size: () => known.size() + unknown.size() + addresses.size(),
  }
}

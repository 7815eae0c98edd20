import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/values/units.ts'
import { clientNetworkOf } from '../protocol/client-address.ts'

const MINUTE_MS = 60_000

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

const triedOf = ({ failed, refused, inFlight }: Count): number => failed + refused + inFlight

/** Seconds until fewer than `most` failures lie within a minute. */
const waitOf = ({ since, failed, inFlight }: Count, most: number, now: number): number => {
  if (failed >= most) return Math.ceil((since + MINUTE_MS - now) / 1000)
  return failed + inFlight >= most ? 1 : 0
}

/** How an attempt ended. `refused`: it was not checked. */
type AttemptOutcome = 'passed' | 'failed' | 'refused'

/** The count after an attempt. One that was evicted while in flight still counts. */
const after = (count: Count, how: AttemptOutcome, now: number): Count => {
  const rest = { ...count, inFlight: Math.max(0, count.inFlight - 1) }
  if (how === 'refused') return { ...rest, refused: count.refused + 1 }
  if (how === 'passed') return rest
  return { ...rest, since: count.failed === 0 ? now : count.since, failed: count.failed + 1 }
}

/** Expired counts removed at once, which takes 0.3 ms. */
const REMOVED_AT_ONCE = 1_000

/** Counts by key. Beyond `max` keys, the count that changed least recently is dropped. */
const makeCounts = (max: number) => {
  // Not `max`, which would allocate room for all of them now.
  const counts = new LRUCache<string, Count>({ maxSize: max, sizeCalculation: () => 1 })
  return {
    size: () => counts.size,
    /** The current count. An expired one keeps only attempts in flight. */
    get: (key: string, now: number): Count => {
      const count = counts.peek(key)
      if (count !== undefined && !isOver(count, now)) return count
      return { since: now, failed: 0, refused: 0, inFlight: count?.inFlight ?? 0 }
    },
    /** Stores a count, and removes expired ones that changed before all others: after a flood, over several attempts. */
    set: (key: string, count: Count, now: number): void => {
      if (triedOf(count) === 0) counts.delete(key)
      else counts.set(key, count)
      for (const oldest of counts.rkeys().take(REMOVED_AT_ONCE)) {
        const each = counts.peek(oldest) as Count
        if (each.inFlight > 0 || !isOver(each, now)) break
        counts.delete(oldest)
      }
    },
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

export interface AttemptsOptions {
  readonly clock: Clock
  /** Whether a user has this name. */
  readonly isKnown: (name: string) => boolean
  /** Keeps the names that were typed from being guessed by the keys of their counts. */
  readonly secret: string
  readonly addressesMax?: number
  readonly pairsMax?: number
  readonly unknownPairsMax?: number
}

/** Counts failed logins by address, and by address and name. A wrong token has no name. */
export const makeAttempts = (options: AttemptsOptions) => {
  const { clock, isKnown, secret } = options
  const known = makeCounts(options.pairsMax ?? PAIRS_MAX)
  // Anyone can make up unknown names. They must not evict counts of known ones.
  const unknown = makeCounts(options.unknownPairsMax ?? UNKNOWN_PAIRS_MAX)
  const addresses = makeCounts(options.addressesMax ?? ADDRESSES_MAX)

  /** Where an attempt is counted. The key of a pair is a hash: a password may have been typed as a name. */
  const placesOf = (address: string, name: string | undefined) => {
    const network = clientNetworkOf(address)
    const ofAddress = { counts: addresses, key: network }
    if (name === undefined) return [ofAddress]
    const key = hash('sha256', `${secret}\n${network}\n${name}`, 'base64url').slice(0, 22)
    return [ofAddress, { counts: isKnown(name) ? known : unknown, key }]
  }

  const read = (address: string, name: string | undefined, now: number) =>
    placesOf(address, name).map(({ counts, key }) => counts.get(key, now)) as [ofAddress: Count, ofPair?: Count]

  return {
    /** Seconds until this address may try this name again, or another token; 0 if it may now. */
    lockoutSeconds: (address: string, name?: string): number => {
      const now = clock()
      const [ofAddress, ofPair] = read(address, name, now)
      const atAddress = waitOf(ofAddress, OF_ADDRESS_MAX, now)
      if (ofPair === undefined) return atAddress
      const atBarred = Math.min(atAddress, waitOf(ofPair, OF_NAME_AT_BARRED_MAX, now))
      return Math.max(atBarred, waitOf(ofPair, OF_NAME_MAX, now))
    },
    /** Which attempts to check first: of names with fewer attempts from this address, then of addresses with fewer. */
    rank: (address: string, name: string): number => {
      const [ofAddress, ofPair = ofAddress] = read(address, name, clock())
      const atAddress = triedOf(ofAddress)
      return triedOf(ofPair) + atAddress / (atAddress + 1)
    },
    /** Begins an attempt. It counts until the returned function reports how it ended, and after that if it failed. */
    begin: (address: string, name?: string) => {
      const places = placesOf(address, name)
      const change = (to: (count: Count, now: number) => Count): void => {
        const now = clock()
        for (const { counts, key } of places) counts.set(key, to(counts.get(key, now), now), now)
      }
      change((count) => ({ ...count, inFlight: count.inFlight + 1 }))
      return (how: AttemptOutcome): void => change((count, now) => after(count, how, now))
    },
    /** How many names and addresses are being counted. */
    size: (): number => known.size() + unknown.size() + addresses.size(),
  }
}
export type Attempts = ReturnType<typeof makeAttempts>

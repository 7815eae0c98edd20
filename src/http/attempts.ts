import { hash } from 'node:crypto'
import { networkOf } from './client-address.ts'

/** Failed attempts within a minute after which no more are taken: with one name, and with any. */
const OF_NAME_MAX = 10
const OF_ADDRESS_MAX = 100
/** Milliseconds. */
const MINUTE = 60_000
/**
 * Names of addresses, and addresses, that are counted at once; about 300 bytes each. Passwords are checked at 50 a second
 * on a core, 3,000 a minute: to push a count out before its minute is over takes twenty times what can be checked, from
 * 656 addresses at least, and gives back ten guesses to somebody who has 6,560 a minute already.
 */
const COUNTED_MAX = 65_536

/** Counts failed attempts to sign in, by address and name. */
export interface Attempts {
  /** Seconds until this address may try this name again; 0 when it may now. */
  readonly barredFor: (address: string, name: string) => number
  /** Begins an attempt, which counts until it is told how it ended, and after that if it failed. */
  readonly begin: (address: string, name: string) => (isFailed: boolean) => void
  /** How many names and addresses are being counted. */
  readonly size: () => number
}

interface Count {
  /** When its minute began: with the first failure. */
  since: number
  failed: number
  underWay: number
}

/** A clock that goes back ends a minute rather than making it longer. */
const isOver = ({ since }: Count, now: number): boolean => now < since || now >= since + MINUTE

/** Seconds until a count may be below its limit again. */
const waitOf = (count: Count | undefined, max: number, now: number): number => {
  if (count === undefined) return 0
  const failed = isOver(count, now) ? 0 : count.failed
  if (failed >= max) return Math.ceil((count.since + MINUTE - now) / 1000)
  return failed + count.underWay >= max ? 1 : 0
}

/** Counts in the order in which their minutes began, so that those that are over are found in front. */
const makeCounts = (countedMax: number) => {
  const counts = new Map<string, Count>()

  const putLast = (key: string, count: Count, now: number): void => {
    counts.delete(key)
    for (const [oldest, old] of counts) {
      const isIdle = old.underWay === 0 && isOver(old, now)
      if (counts.size < countedMax && !isIdle) break
      counts.delete(oldest)
    }
    counts.set(key, count)
  }

  return {
    get: (key: string) => counts.get(key),
    size: () => counts.size,
    begin: (key: string, now: number): void => {
      const count = counts.get(key)
      if (count === undefined) putLast(key, { since: now, failed: 0, underWay: 1 }, now)
      else count.underWay++
    },
    end: (key: string, isFailed: boolean, now: number): void => {
      // One that was pushed out while under way still counts.
      const count = counts.get(key) ?? { since: now, failed: 0, underWay: 1 }
      count.underWay = Math.max(0, count.underWay - 1)
      if (!isFailed) {
        if (count.failed === 0 && count.underWay === 0) counts.delete(key)
        return
      }
      if (count.failed === 0 || isOver(count, now)) {
        Object.assign(count, { since: now, failed: 0 })
        putLast(key, count, now)
      }
      count.failed++
    },
  }
}

/** What a pair is counted under: of one length, and without the password that somebody may have typed as a name. */
const pairOf = (network: string, name: string): string =>
  hash('sha256', `${network}\n${name}`, 'base64url').slice(0, 22)

export const makeAttempts = (clock: () => number, countedMax = COUNTED_MAX): Attempts => {
  const names = makeCounts(countedMax)
  const addresses = makeCounts(countedMax)
  return {
    barredFor: (address, name) => {
      const network = networkOf(address)
      const now = clock()
      const ofAddress = waitOf(addresses.get(network), OF_ADDRESS_MAX, now)
      return Math.max(ofAddress, waitOf(names.get(pairOf(network, name)), OF_NAME_MAX, now))
    },
    begin: (address, name) => {
      const network = networkOf(address)
      const pair = pairOf(network, name)
      names.begin(pair, clock())
      addresses.begin(network, clock())
      return (isFailed) => {
        names.end(pair, isFailed, clock())
        addresses.end(network, isFailed, clock())
      }
    },
    size: () => names.size() + addresses.size(),
  }
}

import { hash } from 'node:crypto'
import { networkOf } from '../protocol/client-address.ts'
import { type Ending, makeCountMap, makeCountTable, makeFailureCounts } from './failure-counts.ts'

/** Failed attempts within a minute after which no more are taken: with one name, and with any. */
const OF_NAME_MAX = 10
const OF_ADDRESS_MAX = 100
/** What each name has of its own at an address that has failed so often. */
const OF_NAME_AT_BARRED_MAX = 3

/** Addresses that are counted at once; about 300 bytes each. */
const ADDRESSES_MAX = 65_536
/**
 * Rows of the table for names that nobody has: 524,288 entries, 11 MB when all are used. 8,192 connections of which each
 * waits two seconds for its refusal, as in a flood, fill less than half of them in a minute.
 */
const ROWS = 32_768

/** Counts failed attempts to sign in, by address and name. */
export interface Attempts {
  /** Seconds until this address may try this name again; 0 when it may now. */
  readonly lockoutSeconds: (address: string, name: string) => number
  /** How often this address has tried this name within a minute. */
  readonly tried: (address: string, name: string) => number
  /** Begins an attempt, which counts until the function returned says how it ended, and after that if it failed. */
  readonly begin: (address: string, name: string) => (how: Ending) => void
  /** How many names and addresses are being counted. */
  readonly size: () => number
}

export interface AttemptsOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Whether somebody has this name. */
  readonly isKnown: (name: string) => boolean
  /** Nobody can tell without it which names share a row. */
  readonly secret: string
  readonly addressesMax?: number
  readonly rows?: number
}

export const makeAttempts = (options: AttemptsOptions): Attempts => {
  const { clock, isKnown, secret, addressesMax = ADDRESSES_MAX, rows = ROWS } = options
  // Bounded by how many passwords can be checked in a minute, since nothing else is counted for long.
  const known = makeFailureCounts(makeCountMap())
  // Of names that anybody can make up no more is kept than there is room for, so that nobody's count gives way to them.
  const unknown = makeFailureCounts(makeCountTable(rows))
  const addresses = makeFailureCounts(makeCountMap(addressesMax))

  /** Where a name at an address is counted, and under what: never the password that somebody may have typed as a name. */
  const countOf = (network: string, name: string) => ({
    counts: isKnown(name) ? known : unknown,
    pair: hash('sha256', `${secret}\n${network}\n${name}`, 'base64url').slice(0, 22),
  })

  return {
    lockoutSeconds: (address, name) => {
      const network = networkOf(address)
      const { counts, pair } = countOf(network, name)
      const now = clock()
      const ofAddress = addresses.waitOf(network, OF_ADDRESS_MAX, now)
      const ofNameThere = Math.min(ofAddress, counts.waitOf(pair, OF_NAME_AT_BARRED_MAX, now))
      return Math.max(ofNameThere, counts.waitOf(pair, OF_NAME_MAX, now))
    },
    tried: (address, name) => {
      const { counts, pair } = countOf(networkOf(address), name)
      return counts.tried(pair, clock())
    },
    begin: (address, name) => {
      const network = networkOf(address)
      const { counts, pair } = countOf(network, name)
      counts.begin(pair, clock())
      addresses.begin(network, clock())
      return (how) => {
        counts.end(pair, how, clock())
        addresses.end(network, how === 'refused' ? 'passed' : how, clock())
      }
    },
    size: () => known.size() + unknown.size() + addresses.size(),
  }
}

import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../domain/values/network.ts'
import type { KeyRing, VaultKey } from '../keys.ts'
import { makeDerivedKeys } from './derived-keys.ts'

/**
 * Pseudonyms of client addresses in the log: keyed hashes, from which nobody can read an address without the vault's
 * key. A pseudonym is `<key id>:<first 16 bytes of HMAC-SHA-256(key, address), base64url>`; the key is derived from the
 * vault's by HKDF (RFC 5869).
 */
export interface ClientPseudonyms {
  /** The pseudonym of an address under the current key. */
  readonly of: (address: string) => string
  /** Whether a pseudonym is that of an address, under any key of the ring. */
  readonly matches: (pseudonym: string, address: string) => boolean
  /** Whether the ring has the key of a pseudonym. */
  readonly isKnown: (pseudonym: string) => boolean
}

const PURPOSE = 'berth client address v1'
const PSEUDONYM_BYTES = 16
/** Addresses whose pseudonyms are remembered. The least recently used are computed again. */
const ADDRESSES_MAX = 10_000

/** @param ipv6Prefix bits of an IPv6 address that count, 1 to 128 */
export const makeClientPseudonyms = (keys: () => KeyRing, ipv6Prefix: number): ClientPseudonyms => {
  const derivedOf = makeDerivedKeys(PURPOSE)
  const pseudonyms = new LRUCache<string, { readonly key: VaultKey; readonly pseudonym: string }>({
    maxSize: ADDRESSES_MAX,
    sizeCalculation: () => 1,
  })

  const pseudonymUnder = (key: VaultKey, address: string): string => {
    const hash = createHmac('sha256', derivedOf(key)).update(networkOf(address, ipv6Prefix)).digest()
    return `${key.id}:${hash.subarray(0, PSEUDONYM_BYTES).toString('base64url')}`
  }

  const keyOf = (pseudonym: string): VaultKey | undefined =>
    keys().keys.find(({ id }) => pseudonym.startsWith(`${id}:`))

  return {
    isKnown: (pseudonym) => keyOf(pseudonym) !== undefined,
    of: (address) => {
      const { current } = keys()
      const known = pseudonyms.get(address)
      if (known?.key === current) return known.pseudonym
      const pseudonym = pseudonymUnder(current, address)
      pseudonyms.set(address, { key: current, pseudonym })
      return pseudonym
    },
    matches: (pseudonym, address) => {
      const key = keyOf(pseudonym)
      return key !== undefined && pseudonymUnder(key, address) === pseudonym
    },
  }
}

import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../domain/values/network.ts'
import { type KeyRing, makeDerivedKeys, type VaultKey } from '../keys.ts'

export type ClientPseudonyms = ReturnType<typeof makeClientPseudonyms>

const PURPOSE = 'berth client address v1'
const PSEUDONYM_BYTES = 16
/** Addresses whose pseudonyms are remembered. The least recently used are computed again. */
const ADDRESSES_MAX = 10_000

/**
 * Pseudonyms of client addresses in the log: keyed hashes, from which nobody can read an address without the vault's
 * key. A pseudonym is `<key id>:<first 16 bytes of HMAC-SHA-256(key, address), base64url>`; the key is derived from the
 * vault's by HKDF (RFC 5869).
 *
 * @param ipv6Prefix bits of an IPv6 address that count, 1 to 128
 */
export const makeClientPseudonyms = (keys: () => KeyRing, ipv6Prefix: number) => {
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
    /** Whether the ring has the key of a pseudonym. */
    isKnown: (pseudonym: string): boolean => keyOf(pseudonym) !== undefined,
    /** The pseudonym of an address under the current key. */
    of: (address: string): string => {
      const { current } = keys()
      const known = pseudonyms.get(address)
      if (known?.key === current) return known.pseudonym
      const pseudonym = pseudonymUnder(current, address)
      pseudonyms.set(address, { key: current, pseudonym })
      return pseudonym
    },
    /** Whether a pseudonym is that of an address, under any key of the ring. */
    matches: (pseudonym: string, address: string): boolean => {
      const key = keyOf(pseudonym)
      return key !== undefined && pseudonymUnder(key, address) === pseudonym
    },
  }
}

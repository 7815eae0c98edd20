import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../domain/values/network.ts'
import type { KeyRing, VaultKey } from '../keys.ts'
import { makeDerivedKeys } from './derived-keys.ts'

/**
 * Names of client addresses in the log: keyed hashes, from which nobody can read an address without the vault's key. A
 * name is `<key id>:<first 16 bytes of HMAC-SHA-256(key, address), base64url>`; the key is derived from the vault's by
 * HKDF (RFC 5869).
 */
export interface ClientNames {
  /** The name of an address under the current key. */
  readonly of: (address: string) => string
  /** Whether a name is that of an address, under any key of the ring. */
  readonly matches: (name: string, address: string) => boolean
  /** Whether the ring has the key of a name. */
  readonly isKnown: (name: string) => boolean
}

const PURPOSE = 'berth client address v1'
const NAME_BYTES = 16
/** Addresses whose names are remembered. The least recently used are computed again. */
const ADDRESSES_MAX = 10_000

/** @param ipv6Prefix bits of an IPv6 address that count, 1 to 128 */
export const makeClientNames = (keys: () => KeyRing, ipv6Prefix: number): ClientNames => {
  const derivedOf = makeDerivedKeys(PURPOSE)
  const names = new LRUCache<string, { readonly key: VaultKey; readonly name: string }>({
    maxSize: ADDRESSES_MAX,
    sizeCalculation: () => 1,
  })

  const nameUnder = (key: VaultKey, address: string): string => {
    const hash = createHmac('sha256', derivedOf(key)).update(networkOf(address, ipv6Prefix)).digest()
    return `${key.id}:${hash.subarray(0, NAME_BYTES).toString('base64url')}`
  }

  const keyOf = (name: string): VaultKey | undefined => keys().keys.find(({ id }) => name.startsWith(`${id}:`))

  return {
    isKnown: (name) => keyOf(name) !== undefined,
    of: (address) => {
      const { current } = keys()
      const known = names.get(address)
      if (known?.key === current) return known.name
      const name = nameUnder(current, address)
      names.set(address, { key: current, name })
      return name
    },
    matches: (name, address) => {
      const key = keyOf(name)
      return key !== undefined && nameUnder(key, address) === name
    },
  }
}

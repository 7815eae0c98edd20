import { hkdfSync } from 'node:crypto'
import type { VaultKey } from '../keys.ts'

/**
 * Derives a key of its own for each purpose from the vault's keys, by HKDF (RFC 5869).
 *
 * @param purpose a text of its own for each use, which tells the derived keys apart
 */
export const makeDerivedKeys = (purpose: string): ((key: VaultKey) => Buffer) => {
  const derived = new WeakMap<VaultKey, Buffer>()
  return (key) => {
    const own = derived.get(key) ?? Buffer.from(hkdfSync('sha256', key.key, '', purpose, 32))
    derived.set(key, own)
    return own
  }
}

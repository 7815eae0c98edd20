import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from '../cipher.ts'
import { type KeyRing, makeDerivedKeys } from '../keys.ts'

/** Characters; longer texts are not looked at. */
const TEXT_MAX = 2_048

/** Seals what a browser keeps for the service. */
export interface Sealer<A extends object> {
  readonly seal: (content: A) => string
  /** Undefined for a text that was not sealed for this purpose with a key of the ring. */
  readonly open: (text: string) => A | undefined
}

/**
 * Texts in base64url, encrypted (AES-256-GCM), so that nobody else can read, make or change one. The key is derived from
 * the vault's by HKDF (RFC 5869). Any instance with a key of the ring opens them.
 *
 * @param purpose a text of its own for each use, which tells the derived keys apart
 */
export const makeSealer = <A extends object>(
  keys: () => KeyRing,
  purpose: string,
  randomBytes: (size: number) => Uint8Array,
): Sealer<A> => {
  const derivedOf = makeDerivedKeys(purpose)
  return {
    seal: (content) => {
      const nonce = randomBytes(NONCE_BYTES)
      const sealed = encrypt(derivedOf(keys().current), JSON.stringify(content), nonce)
      return Buffer.concat([nonce, sealed]).toString('base64url')
    },
    open: (text) => {
      const bytes = Buffer.from(text.length > TEXT_MAX ? '' : text, 'base64url')
      // Of the spellings of some bytes only one counts, so that nobody makes another text of the same content.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined
      for (const key of keys().keys) {
        const clear = decrypt(derivedOf(key), bytes.subarray(NONCE_BYTES), bytes.subarray(0, NONCE_BYTES))
        if (clear !== undefined) return JSON.parse(clear)
      }
      return undefined
    },
  }
}

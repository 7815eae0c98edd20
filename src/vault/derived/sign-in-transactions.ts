import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from '../cipher.ts'
import type { KeyRing } from '../keys.ts'
import { canonicalBytes, makeDerivedKeys } from './derived-keys.ts'

/** What the end of a single sign-on needs of its beginning. */
export interface SignInTransaction {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Unix milliseconds. */
  readonly expires: number
}

export type SignInTransactions = ReturnType<typeof makeSignInTransactions>

const PURPOSE = 'berth sign-in transaction v1'
/** Characters; longer ones are not looked at. */
export const TRANSACTION_MAX = 1_024

const bytesOf = (text: string): Buffer | undefined => {
  if (text.length > TRANSACTION_MAX) return undefined
  const bytes = canonicalBytes(text)
  return bytes !== undefined && bytes.length > NONCE_BYTES + TAG_BYTES ? bytes : undefined
}

/**
 * Transactions of single sign-on, which the browser keeps: encrypted (AES-256-GCM), so that it can neither read nor make
 * one. Any instance with a key of the ring opens them. The key is derived from the vault's by HKDF (RFC 5869).
 */
export const makeSignInTransactions = (keys: () => KeyRing, randomBytes: (size: number) => Uint8Array) => {
  const derivedOf = makeDerivedKeys(PURPOSE)
  return {
    seal: ({ state, nonce, verifier, expires }: SignInTransaction): string => {
      const content = JSON.stringify({ state, nonce, verifier, expires })
      const iv = randomBytes(NONCE_BYTES)
      return Buffer.concat([iv, encrypt(derivedOf(keys().current), content, iv)]).toString('base64url')
    },
    /** Undefined if it was not sealed with a key of the ring. Whether it has expired is not checked. */
    open: (text: string): SignInTransaction | undefined => {
      const bytes = bytesOf(text)
      if (bytes === undefined) return undefined
      for (const key of keys().keys) {
        const opened = decrypt(derivedOf(key), bytes.subarray(NONCE_BYTES), bytes.subarray(0, NONCE_BYTES))
        if (opened !== undefined) return JSON.parse(opened)
      }
      return undefined
    },
  }
}

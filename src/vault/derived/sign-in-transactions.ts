import { createCipheriv, createDecipheriv } from 'node:crypto'
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

/**
 * Transactions of single sign-on, which the browser keeps: encrypted (AES-256-GCM), so that it can neither read nor make
 * one. Any instance with a key of the ring opens them. The key is derived from the vault's by HKDF (RFC 5869).
 */
export interface SignInTransactions {
  readonly seal: (transaction: SignInTransaction) => string
  /** Undefined if it was not sealed with a key of the ring. Whether it has expired is not checked. */
  readonly open: (text: string) => SignInTransaction | undefined
}

const PURPOSE = 'berth sign-in transaction v1'
const CIPHER = 'aes-256-gcm'
// Random 96-bit nonces: safe for 2^32 transactions per key (NIST SP 800-38D, section 8.3).
const [NONCE_BYTES, TAG_BYTES] = [12, 16]
/** Characters; longer ones are not looked at. */
export const TRANSACTION_MAX = 1_024

type Content = [state: string, nonce: string, verifier: string, expires: number]

const bytesOf = (text: string): Buffer | undefined => {
  if (text.length > TRANSACTION_MAX) return undefined
  const bytes = canonicalBytes(text)
  return bytes !== undefined && bytes.length > NONCE_BYTES + TAG_BYTES ? bytes : undefined
}

const decrypt = (key: Buffer, bytes: Buffer): string | undefined => {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const end = bytes.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(bytes.subarray(end))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

export const makeSignInTransactions = (
  keys: () => KeyRing,
  randomBytes: (size: number) => Uint8Array,
): SignInTransactions => {
  const derivedOf = makeDerivedKeys(PURPOSE)
  return {
    seal: ({ state, nonce, verifier, expires }) => {
      const content = [state, nonce, verifier, expires] satisfies Content
      const iv = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, derivedOf(keys().current), iv, { authTagLength: TAG_BYTES })
      const sealed = [iv, cipher.update(JSON.stringify(content), 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    open: (text) => {
      const bytes = bytesOf(text)
      if (bytes === undefined) return undefined
      for (const key of keys().keys) {
        const opened = decrypt(derivedOf(key), bytes)
        if (opened === undefined) continue
        const [state, nonce, verifier, expires] = JSON.parse(opened) as Content
        return { state, nonce, verifier, expires }
      }
      return undefined
    },
  }
}

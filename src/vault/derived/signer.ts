import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeyRing, VaultKey } from '../keys.ts'
import { canonicalBytes, makeDerivedKeys } from './derived-keys.ts'

/** Characters; longer texts are not looked at. */
const TEXT_MAX = 2_048

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

/**
 * Signs with HMAC-SHA-256. The key is derived from the vault's by HKDF (RFC 5869). Any instance with the key in its ring
 * verifies what was signed.
 *
 * @param purpose a text of its own for each use, which tells the derived keys apart
 */
export const makeSigner = (keys: () => KeyRing, purpose: string) => {
  const derivedOf = makeDerivedKeys(purpose)
  const signWith = (key: VaultKey, text: string): Buffer => createHmac('sha256', derivedOf(key)).update(text).digest()
  /** The signature alone, in base64url, of a text that is not in base64url. */
  const sign = (text: string): string => signWith(keys().current, text).toString('base64url')
  /** Whether a key of the ring has made this signature. */
  const isSigned = (text: string, signature: string): boolean => {
    const claimed = canonicalBytes(signature)
    return claimed !== undefined && keys().keys.some((key) => isSame(signWith(key, text), claimed))
  }
  return {
    sign,
    isSigned,
    /** `<payload>.<signature>` in base64url. The payload is JSON, which anybody can read. */
    issue: (content: object): string => {
      const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
      return `${payload}.${sign(payload)}`
    },
    /** The content of a text that `issue` returned under a key of the ring; undefined for any other text. */
    open: (text: string): object | undefined => {
      const [payload = '', signature = '', ...rest] = text.length > TEXT_MAX ? [] : text.split('.')
      const bytes = canonicalBytes(payload)
      if (bytes === undefined || rest.length > 0 || !isSigned(payload, signature)) return undefined
      return JSON.parse(bytes.toString())
    },
  }
}

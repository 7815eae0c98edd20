import { type CipherKey, createCipheriv, createDecipheriv } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { parseOwner, type SealedSecret } from '../domain/sealed-secret.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import type { KeyRing, VaultKey } from './keys.ts'

// Random 96-bit nonces allow 2^32 secrets per key (NIST SP 800-38D, section 8.3).
export const NONCE_BYTES = 12
export const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** Encrypts a text and binds it to additional data. The tag is at the end. */
export const encrypt = (
  key: CipherKey,
  clear: string,
  nonce: Uint8Array,
  bound: Uint8Array = Buffer.alloc(0),
): Buffer => {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound)
  return Buffer.concat([cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Undefined if it was not encrypted with this key, nonce and additional data, or was altered. */
export const decrypt = (
  key: CipherKey,
  ciphertext: Uint8Array,
  nonce: Uint8Array,
  bound: Uint8Array = Buffer.alloc(0),
): string | undefined => {
  const end = ciphertext.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(bound)
      .setAuthTag(ciphertext.subarray(end))
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** The owner of key check values. Their field is the key's id. */
export const KEY_CHECKS = '-'

export type Place = Omit<SealedSecret, 'nonce' | 'ciphertext'>

/** The owner as ciphertexts name it: `sut:<id>`. The store knows a SUT's secrets by its bare id. */
const boundOwner = (owner: string): string =>
  owner.startsWith(KEY_CHECKS) || parseOwner(owner).kind !== 'SUT' ? owner : `sut:${owner}`

/** Binds a ciphertext to its place. It does not open for another owner, field or change. */
const additionalData = ({ field, id, key_id }: Place, owner: string): Buffer =>
  Buffer.from(canonicalJson([owner, field, id, key_id]))

export const sealSecret = (
  key: VaultKey,
  place: Omit<Place, 'key_id'>,
  clear: string,
  nonce: Uint8Array,
): SealedSecret => {
  const sealed = { owner: place.owner, field: place.field, id: place.id, key_id: key.id }
  const bound = additionalData(sealed, boundOwner(place.owner))
  return { ...sealed, nonce, ciphertext: encrypt(key.key, clear, nonce, bound) }
}

/** Left: why it cannot be opened. */
export const openSecret = ({ keys }: KeyRing, sealed: SealedSecret): E.Either<string, string> => {
  const { owner, key_id, ciphertext, nonce } = sealed
  const key = keys.find(({ id }) => id === key_id)
  if (key === undefined) return E.left(`its key ${JSON.stringify(key_id)} is missing`)
  if (ciphertext.length < TAG_BYTES || nonce.length !== NONCE_BYTES) return E.left('it is incomplete')
  const openAs = (name: string): string | undefined => decrypt(key.key, ciphertext, nonce, additionalData(sealed, name))
  // At first only SUTs had secrets, bound to their bare ids.
  const clear = openAs(boundOwner(owner)) ?? openAs(owner)
  if (clear !== undefined) return E.right(clear)
  return E.left(`it was not sealed here with the key ${JSON.stringify(key_id)}, or it was altered`)
}

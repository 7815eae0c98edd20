import * as E from 'fp-ts/lib/Either.js'
import { makeId } from '../domain/values/ids.ts'
import type { SecretStore } from '../event-store/event-store.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from './signed-note.ts'

/**
 * Stores the log's public signing keys with the sealed secrets, like the vault's key check values. At startup, a
 * missing or different key is detected.
 */

/** Reserved names: no SUT has this id, and no vault key id contains a space. */
export const AUDIT_OWNER = '-audit'
export const AUDIT_KEY_ID = 'audit key'
const FIELD = 'signer'

/** Whether both are the same key, regardless of name. */
export const isSameKey = (a: Verifier, b: Verifier): boolean => a.publicKey.equals(b.publicKey)

const DAMAGED = 'the log remembers an audit key that cannot be read: its row in the vault is damaged'

/** The log's current signing key; undefined if none is stored. Left: that it cannot be read, in a sentence. */
export const readKnownKey = async ({
  readSecrets,
}: Pick<SecretStore, 'readSecrets'>): Promise<E.Either<string, Verifier | undefined>> => {
  const kept = await readSecrets(AUDIT_OWNER)
  const [row] = kept
  if (row === undefined) return E.right(undefined)
  const read = readVerifier(Buffer.from(row.ciphertext).toString())
  const isWhole = kept.length === 1 && row.field === FIELD && row.key_id === AUDIT_KEY_ID && row.nonce.length === 0
  return isWhole && E.isRight(read) ? read : E.left(DAMAGED)
}

/** Stores the current signing key, replacing the previous one. */
export const saveKnownKey = (
  { writeSecrets }: Pick<SecretStore, 'writeSecrets'>,
  signer: Signer,
  now: number,
  randomBytes: (size: number) => Uint8Array,
): Promise<void> => {
  const verifier = verifierOf(signer)
  const id = makeId(now, Buffer.from(randomBytes(8)).toString('hex'))
  const ciphertext = Buffer.from(writeVerifier(verifier))
  return writeSecrets([
    { owner: AUDIT_OWNER, field: FIELD, id, key_id: AUDIT_KEY_ID, nonce: new Uint8Array(0), ciphertext },
  ])
}

import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { makeId } from '../domain/values/ids.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from './signed-note.ts'

/**
 * The public parts of the keys that have signed a log's checkpoints are kept beside the log, where the vault keeps the
 * values by which it recognises its own keys: so a start finds out that a key is not there, or is another.
 */

export interface KeyStore {
  readonly readSecrets: (owner: string) => Promise<readonly SealedSecret[]>
  readonly writeSecrets: (secrets: readonly SealedSecret[]) => Promise<void>
}

/** What they are kept under; no SUT has such an id, and no key of the vault one with a blank. */
const OWNER = '-audit'
const KEY_ID = 'audit key'
const FIELD = 'signer'

const publicOf = ({ publicKey }: Verifier): string =>
  publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64url')

/** Whether both are the same key, under whatever name. */
export const isSameKey = (a: Verifier, b: Verifier): boolean => publicOf(a) === publicOf(b)

/** The key that signs the log's checkpoints; undefined where none has been kept. */
export const readKnownKey = async ({ readSecrets }: Pick<KeyStore, 'readSecrets'>): Promise<Verifier | undefined> => {
  const [kept] = await readSecrets(OWNER)
  const read = readVerifier(Buffer.from(kept?.ciphertext ?? []).toString())
  return E.isRight(read) ? read.right : undefined
}

/** Keeps a key as the one that signs from now on, in the place of the one before. */
export const saveKnownKey = (
  { writeSecrets }: KeyStore,
  signer: Signer,
  now: number,
  randomBytes: (size: number) => Uint8Array,
): Promise<void> => {
  const verifier = verifierOf(signer)
  const id = makeId(now, Buffer.from(randomBytes(8)).toString('hex'))
  const ciphertext = Buffer.from(writeVerifier(verifier))
  return writeSecrets([{ sut_id: OWNER, field: FIELD, id, key_id: KEY_ID, nonce: new Uint8Array(0), ciphertext }])
}

import * as t from 'io-ts'
import { integer, text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'

/**
 * Sealed secrets are stored in streams named `vault-<owner>`. There are no transactions across streams, so a secret is
 * written before the event that names it. It becomes current when that event is in the log.
 */

/**
 * The event a secret belongs to, by its place in the stream of its SUT, of all users or of a user's tokens; null if no
 * event names it.
 */
const SecretCause = t.union([
  t.null,
  closed('cause', { revision: integer(0, Number.MAX_SAFE_INTEGER), id: text(36, 36) }, {}),
])
export type SecretCause = t.TypeOf<typeof SecretCause>

const VaultEntry = closed(
  'entry',
  { field: text(0, 64), id: text(1, 64), key_id: text(1, 256), cause: SecretCause },
  /** Base64. Absent if the secret was removed. */
  { nonce: text(0, 64), ciphertext: text(0, 65_536) },
)
export const VaultEntries = closed('SecretsSealed', { secrets: t.readonlyArray(VaultEntry) }, {})
export type VaultEntry = t.TypeOf<typeof VaultEntry>

/** Prefix of the stream names. */
export const VAULT_PREFIX = 'vault-'

export const entryOf = ({ field, id, key_id, nonce, ciphertext }: SealedSecret, cause: SecretCause): VaultEntry => ({
  field,
  id,
  key_id,
  cause,
  nonce: Buffer.from(nonce).toString('base64'),
  ciphertext: Buffer.from(ciphertext).toString('base64'),
})

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

export const secretOf = (owner: string, entry: VaultEntry): SealedSecret | undefined => {
  const { field, id, key_id, nonce, ciphertext } = entry
  if (nonce === undefined || ciphertext === undefined) return undefined
  return { owner, field, id, key_id, nonce: bytes(nonce), ciphertext: bytes(ciphertext) }
}

export const isSame = (a: SealedSecret, b: VaultEntry): boolean =>
  a.field === b.field && a.id === b.id && a.key_id === b.key_id

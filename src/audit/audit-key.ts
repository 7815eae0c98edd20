/**
 * Stores the log's public signing keys with the sealed secrets, like the vault's key check values. At startup, a
 * missing or different key is detected.
 */

import { createPrivateKey, type KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { makeId } from '../domain/values/ids.ts'
import type { Clock } from '../domain/values/units.ts'
import type { SecretStore } from '../event-store/event-store.ts'
import { createPrivateFile, modeWarnings } from '../files/private-file.ts'
import { readRegularText } from '../files/read-regular-file.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from './signed-note.ts'

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

/** The Ed25519 key that signs the log's checkpoints, stored as its 32 random bytes in base64. */

const KEY_BYTES = 32
/** The bytes before the key in a PKCS #8 private key (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const FORM = 'must be 32 bytes in base64, as "openssl rand -base64 32" prints them'

const HEADER = `# The key that signs the checkpoints of Berth's log. Keep a copy elsewhere.
# Anyone with it can sign as this log; without it, nobody can.
`

/** Left completes the sentence "the audit key ..." and contains nothing of the key. */
export const parseAuditKey = (text: string): E.Either<string, KeyObject> => {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '')
  const [digits = ''] = lines
  const bytes = Buffer.from(digits, 'base64')
  const encoded = bytes.toString('base64')
  const isExact = bytes.length === KEY_BYTES && (digits === encoded || `${digits}=` === encoded)
  if (lines.length !== 1 || !isExact) return E.left(FORM)
  return E.right(createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' }))
}

interface Where {
  /** The key itself, if configured directly. */
  readonly auditKey: KeyObject | undefined
  readonly auditKeyFile: string
}

interface Runtime {
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
}

const describeError = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return String(message.split(',')[0])
}

/** The configured key; undefined if its file does not exist. Left describes the problem in a sentence. */
export const readAuditKey = async ({
  auditKey,
  auditKeyFile,
}: Where): Promise<E.Either<string, KeyObject | undefined>> => {
  if (auditKey !== undefined) return E.right(auditKey)
  try {
    const text = await readRegularText(auditKeyFile)
    return E.mapLeft((why: string) => `the audit key in ${auditKeyFile} ${why}`)(parseAuditKey(text))
  } catch (error) {
    const why = describeError(error)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return E.right(undefined)
    return E.left(`the audit key cannot be read from ${auditKeyFile}: ${why}`)
  }
}

/** Creates a key file; false if it already exists. Left explains why it cannot be created. */
export const makeAuditKeyFile = async (
  file: string,
  randomBytes: (size: number) => Uint8Array,
): Promise<E.Either<string, boolean>> => {
  const line = `${Buffer.from(randomBytes(KEY_BYTES)).toString('base64')}\n`
  const result = await createPrivateFile(file, HEADER + line, randomBytes).catch(describeError)
  return typeof result === 'string' ? E.left(`the audit key cannot be created in ${file}: ${result}`) : E.right(result)
}

/** Formats a key's id, which its verifier key and its signatures begin with. */
export const formatKeyId = ({ name, keyId }: Verifier): string => `${name}+${Buffer.from(keyId).toString('hex')}`

interface Opening {
  /** Stores the public keys of the log. */
  readonly store: Pick<SecretStore, 'readSecrets' | 'writeSecrets'>
  /**
   * Whether to create a key for a log that has none. Not if instances share the log, since all must sign with the same
   * key.
   */
  readonly mayMake: boolean
}

const REPLACE = 'restore it, or, if it is lost, replace it: berth audit key --replace'

/**
 * Opens the log's signer at startup. If the log has used a key, that key must be present. A key is created only for a
 * log that has used none, and so has no event. Left: every problem.
 */
export const openSigner = async (
  where: Where & { readonly origin: string },
  { clock, randomBytes, log }: Runtime,
  { store, mayMake }: Opening,
): Promise<E.Either<readonly string[], Signer>> => {
  const { auditKey, auditKeyFile: file, origin: name } = where
  const remembered = await readKnownKey(store)
  if (E.isLeft(remembered)) {
    return E.left([`${remembered.left}; restore a backup, or store the key again: berth audit key --replace`])
  }
  const known = remembered.right
  let read = await readAuditKey(where)
  if (E.isRight(read) && read.right === undefined) {
    const why = `the audit key cannot be read from ${file}: it does not exist`
    if (known !== undefined) {
      return E.left([
        why,
        `the key ${formatKeyId(known)} has signed this log's checkpoints, and no backup has it; ${REPLACE}`,
      ])
    }
    if (!mayMake) return E.left([why])
    const result = await makeAuditKeyFile(file, randomBytes)
    if (E.isLeft(result)) return E.left([result.left])
    if (result.right) log.info({ file }, 'created the key that signs checkpoints; keep a copy elsewhere')
    read = await readAuditKey(where)
  }
  if (E.isLeft(read)) return E.left([read.left])
  const signer = { name, privateKey: read.right as KeyObject }
  if (known !== undefined && !isSameKey(known, verifierOf(signer))) {
    const place = auditKey === undefined ? `the audit key in ${file}` : 'BERTH_AUDIT_KEY'
    return E.left([`${place} is not the key ${formatKeyId(known)}, which signs this log's checkpoints; ${REPLACE}`])
  }
  if (known === undefined) await saveKnownKey(store, signer, clock(), randomBytes)
  if (auditKey === undefined) {
    for (const problem of await modeWarnings(file)) log.warn({ problem }, 'the audit key is not private')
  }
  return E.right(signer)
}

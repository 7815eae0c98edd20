import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeOnce, modeWarnings } from '../files/make-once.ts'
import { isSameKey, type KeyStore, readKnownKey, saveKnownKey } from './known-audit-key.ts'
import { type Signer, type Verifier, verifierOf } from './signed-note.ts'

/** The key that the log's checkpoints are signed with: Ed25519, kept as its 32 random bytes in base64. */

const KEY_BYTES = 32
/** What stands before these bytes in a private key as PKCS #8 has it (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const FORM = 'must be 32 bytes in base64, as "openssl rand -base64 32" prints them'

const HEADER = `# The key that signs the checkpoints of Berth's log. Keep a copy in another place:
# whoever has it can sign, and without it nobody can sign as this log does.
`

/** Left finishes the sentence "the audit key ..." and repeats nothing of it. */
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
  /** The key itself, where the configuration gave it. */
  readonly auditKey?: string
  readonly auditKeyFile: string
}

interface World {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
}

/** What the system says of a file. */
const describeError = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return String(message.split(',')[0])
}

/** The key as it is configured; undefined where its file does not exist. Left: a problem, in a sentence. */
export const readAuditKey = async ({
  auditKey,
  auditKeyFile,
}: Where): Promise<E.Either<string, KeyObject | undefined>> => {
  if (auditKey !== undefined) return E.mapLeft((why: string) => `BERTH_AUDIT_KEY ${why}`)(parseAuditKey(auditKey))
  try {
    const text = await readFile(auditKeyFile, 'utf8')
    return E.mapLeft((why: string) => `the audit key in ${auditKeyFile} ${why}`)(parseAuditKey(text))
  } catch (error) {
    const why = describeError(error)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return E.right(undefined)
    return E.left(`the audit key cannot be read from ${auditKeyFile}: ${why}`)
  }
}

/** Makes the file of a new key; false where there is one already. Left: why it cannot be made. */
export const makeAuditKeyFile = async (
  file: string,
  randomBytes: (size: number) => Uint8Array,
): Promise<E.Either<string, boolean>> => {
  const line = `${Buffer.from(randomBytes(KEY_BYTES)).toString('base64')}\n`
  const made = await makeOnce(file, HEADER + line, randomBytes).catch(describeError)
  return typeof made === 'string' ? E.left(`the audit key cannot be made in ${file}: ${made}`) : E.right(made)
}

/** How a key is spoken of: by the id that its verifier key and its signatures begin with. */
export const formatKeyId = ({ name, keyId }: Verifier): string => `${name}+${Buffer.from(keyId).toString('hex')}`

interface Opening {
  /** Where the keys of the log are known by. */
  readonly store: KeyStore
  /** Whether a key may be made for a log that has none: not for one that instances share, which sign with the same. */
  readonly mayMake: boolean
  /** Backups whose checkpoints a key has signed. */
  readonly signedBy: (verifier: Verifier) => Promise<readonly string[]>
  /** The key that signed the backup which the data was put back from, where the log does not know of any. */
  readonly lastSigner: () => Promise<string | undefined>
}

const REPLACE = 'put it back, or, if it is lost for good, go on with another: berth audit key --replace'

/** Why a key that the log knows is missing; undefined where it knows of none, so that one may be made. */
const explainMissingKey = async (
  known: Verifier | undefined,
  { signedBy, lastSigner }: Opening,
): Promise<string | undefined> => {
  const id = known === undefined ? await lastSigner() : formatKeyId(known)
  if (id === undefined) return undefined
  const backups = known === undefined ? [] : await signedBy(known)
  const listed = backups.length === 0 ? '' : ` (those in ${backups.join(', ')} too)`
  return `the key ${id} has signed this log's checkpoints${listed} and is in no backup; ${REPLACE}`
}

/**
 * Whoever signs for the log of a service that starts. A key that the log has used must be there: only for a log that has
 * used none one is made. Left: every problem.
 */
export const openSigner = async (
  where: Where & { readonly origin: string },
  { clock, randomBytes, log }: World,
  opening: Opening,
): Promise<E.Either<readonly string[], Signer>> => {
  const { auditKey, auditKeyFile: file, origin: name } = where
  const { store, mayMake } = opening
  const known = await readKnownKey(store)
  let read = await readAuditKey(where)
  if (E.isRight(read) && read.right === undefined) {
    const missing = await explainMissingKey(known, opening)
    const why = [`the audit key cannot be read from ${file}: it does not exist`]
    if (missing !== undefined || !mayMake) return E.left(missing === undefined ? why : [...why, missing])
    const made = await makeAuditKeyFile(file, randomBytes)
    if (E.isLeft(made)) return E.left([made.left])
    if (made.right) log.info({ file }, 'made the key that signs checkpoints; keep a copy of it in another place')
    read = await readAuditKey(where)
  }
  if (E.isLeft(read)) return E.left([read.left])
  const signer = { name, privateKey: read.right as KeyObject }
  if (known !== undefined && !isSameKey(known, verifierOf(signer))) {
    const place = auditKey === undefined ? `the audit key in ${file}` : 'BERTH_AUDIT_KEY'
    return E.left([
      `${place} is another than the key ${formatKeyId(known)}, which signs this log's checkpoints; ${REPLACE}`,
    ])
  }
  if (known === undefined) {
    // On a full disk the log can still be read.
    await saveKnownKey(store, signer, clock(), randomBytes).catch((error) => {
      log.warn({ err: error }, 'the audit key could not be noted in the log')
    })
  }
  if (auditKey === undefined) for (const warning of await modeWarnings(file)) log.warn({}, warning)
  return E.right(signer)
}

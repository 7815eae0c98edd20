import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeOnce, modeWarnings } from '../files/make-once.ts'
import type { Signer } from './signed-note.ts'

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
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
}

/** What the system says of a file. */
const told = (error: unknown): string => {
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
    const why = told(error)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return E.right(undefined)
    return E.left(`the audit key cannot be read from ${auditKeyFile}: ${why}`)
  }
}

/**
 * Whoever signs for the log of a service that starts: where there is no key, and one may be made, it makes one. Where the
 * log is shared by instances none is made, because all of them have to sign with the same. Left: every problem.
 */
export const openSigner = async (
  where: Where & { readonly origin: string },
  { randomBytes, log }: World,
  mayMake: boolean,
): Promise<E.Either<readonly string[], Signer>> => {
  const { auditKey, auditKeyFile: file, origin: name } = where
  if (auditKey === undefined && mayMake) {
    const line = `${Buffer.from(randomBytes(KEY_BYTES)).toString('base64')}\n`
    const made = await makeOnce(file, HEADER + line, randomBytes).catch(told)
    if (typeof made === 'string') return E.left([`the audit key cannot be made in ${file}: ${made}`])
    if (made) log.info({ file }, 'made the key that signs checkpoints; keep a copy of it in another place')
  }
  const read = await readAuditKey(where)
  if (E.isLeft(read)) return E.left([read.left])
  if (read.right === undefined) return E.left([`the audit key cannot be read from ${file}: it does not exist`])
  if (auditKey === undefined) for (const warning of await modeWarnings(file)) log.warn({}, warning)
  return E.right({ name, privateKey: read.right })
}

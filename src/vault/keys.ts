import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { UnixMilliseconds } from '../domain/values/units.ts'
import { acquireLock } from '../files/lock.ts'
import { createPrivateFile } from '../files/private-file.ts'
import { readRegularFile, readRegularText } from '../files/read-regular-file.ts'
import { keepOwner, replaceFile, resolveLinks } from '../files/replace-file.ts'

export interface VaultKey {
  readonly id: string
  /** 32 bytes. A KeyObject never appears in logs or JSON. */
  readonly key: KeyObject
}

export interface KeyRing {
  /** The key that seals new secrets. */
  readonly current: VaultKey
  /** All keys, current first. Any of them can open secrets. */
  readonly keys: readonly VaultKey[]
}

const KEY_BYTES = 32
const KEY_ID = /^[A-Za-z0-9._-]{1,32}$/
const FORM = 'must be an id of 1 to 32 of A-Z a-z 0-9 . _ - , a colon, and 32 bytes in base64'

const readKey = (entry: string): VaultKey | undefined => {
  const colon = entry.indexOf(':')
  const [id, digits] = [entry.slice(0, colon), entry.slice(colon + 1)]
  const bytes = Buffer.from(digits, 'base64')
  const encoded = bytes.toString('base64')
  const isExact = bytes.length === KEY_BYTES && (digits === encoded || `${digits}=` === encoded)
  return colon > 0 && KEY_ID.test(id) && isExact ? { id, key: createSecretKey(bytes) } : undefined
}

/**
 * Parses a key ring: `id:base64` entries separated by line breaks or commas, current key first; `#` begins a comment.
 * Left refers to keys by number only. Not even ids are repeated, since the text in their place may be a key.
 */
export const parseVaultKeys = (text: string): E.Either<readonly string[], KeyRing> => {
  const entries = text
    .split(/\r?\n/)
    .flatMap((line) => line.replace(/#.*$/, '').split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const problems: string[] = []
  const keys: VaultKey[] = []
  for (const [i, entry] of entries.entries()) {
    const read = readKey(entry)
    if (read === undefined) problems.push(`key ${i + 1} ${FORM}`)
    else if (keys.some(({ id }) => id === read.id)) problems.push(`key ${i + 1} has the id of an earlier key`)
    else if (keys.some(({ key }) => key.equals(read.key))) problems.push(`key ${i + 1} is the same as an earlier key`)
    else keys.push(read)
  }
  const [current] = keys
  if (problems.length > 0) return E.left(problems)
  return current === undefined ? E.left(['there is no key']) : E.right({ current, keys })
}

/** The keys themselves, if a variable has them, or else their file. */
export interface KeyPlace {
  readonly vaultKeys?: KeyRing | undefined
  readonly vaultKeyFile: string
}

export interface KeyMaking {
  readonly now: UnixMilliseconds
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * The configured keys. Left: every problem, and nothing of a key.
 *
 * @throws an error that does not come from the file system
 */
export const readKeyRing = async ({
  vaultKeys,
  vaultKeyFile: path,
}: KeyPlace): Promise<E.Either<readonly string[], KeyRing>> => {
  if (vaultKeys !== undefined) return E.right(vaultKeys)
  try {
    const ring = parseVaultKeys(await readRegularText(path))
    return E.mapLeft((problems: readonly string[]) => problems.map((problem) => `${path}: ${problem}`))(ring)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const reason = code === 'ENOENT' ? 'it does not exist' : message.split(',')[0]
    return E.left([`the vault's keys cannot be read from ${path}: ${reason}`])
  }
}

/** Creates a missing key file with a new key and mode 0600. Whether it did. @throws DiskFull */
export const makeKeyFile = (path: string, { now, randomBytes }: KeyMaking): Promise<boolean> =>
  createPrivateFile(path, HEADER + newKey({ now, randomBytes }).line, randomBytes)

/** Creates a key in key file format. The id, like `2030-05-02-1f3a`, helps operators tell keys apart. */
export const newKey = ({ now, randomBytes }: KeyMaking): { readonly id: string; readonly line: string } => {
  const id = `${new Date(now).toISOString().slice(0, 10)}-${Buffer.from(randomBytes(2)).toString('hex')}`
  return { id, line: `${id}:${Buffer.from(randomBytes(KEY_BYTES)).toString('base64')}\n` }
}

const HEADER = `# Keys of Berth's vault, the current one first. Keep a copy elsewhere:
# without them the passwords and user names of the SUTs cannot be read.
`

/** Inserts a line before the first key. Everything above it is comments. */
const insertKey = (text: string, line: string): string => {
  const lines = text.split(/(?<=\n)/)
  const first = lines.findIndex((each) => !/^\s*(?:#|$)/.test(each))
  return lines.toSpliced(Math.max(first, 0), 0, line).join('')
}

const rotateLocked = async (target: string, making: KeyMaking): Promise<E.Either<string, string>> => {
  const text = await readRegularText(target)
  const ring = parseVaultKeys(text)
  if (E.isLeft(ring)) return E.left(`${target}: ${ring.left.join('; ')}`)
  let key = newKey(making)
  while (ring.right.keys.some(({ id }) => id === key.id)) key = newKey(making)
  await replaceFile(target, (file) => file.writeFile(insertKey(text, key.line)))
  return E.right(key.id)
}

/**
 * Adds a new current key to a key file, with mode 0600. A crash leaves the old file or the new one. Right is the new
 * key's id. Left explains why nothing was changed and contains no key.
 */
export const rotateKeyFile = async (path: string, making: KeyMaking): Promise<E.Either<string, string>> => {
  try {
    const target = await resolveLinks(path)
    await readRegularFile(target)
    const lock = acquireLock(`${target}.lock`)
    try {
      await keepOwner(`${target}.lock`, target)
      return await rotateLocked(target, making)
    } finally {
      lock.release()
    }
  } catch (error) {
    return E.left(`${path} cannot be changed: ${(error as Error).message.split(',')[0]}`)
  }
}

/**
 * Derives a key of its own for each purpose from the vault's keys, by HKDF (RFC 5869).
 *
 * @param purpose a text of its own for each use, which tells the derived keys apart
 */
export const makeDerivedKeys = (purpose: string): ((key: VaultKey) => Buffer) => {
  const derived = new WeakMap<VaultKey, Buffer>()
  return (key) => {
    const own = derived.get(key) ?? Buffer.from(hkdfSync('sha256', key.key, '', purpose, 32))
    derived.set(key, own)
    return own
  }
}

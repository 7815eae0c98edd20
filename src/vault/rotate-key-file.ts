import * as E from 'fp-ts/lib/Either.js'
import { acquireLock } from '../files/lock.ts'
import { readRegularFile, readRegularText } from '../files/read-regular-file.ts'
import { keepOwner, replaceFile, resolveLinks } from '../files/replace-file.ts'
import { type KeyMaking, newKey, parseVaultKeys } from './keys.ts'

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
  let made = newKey(making)
  while (ring.right.keys.some(({ id }) => id === made.id)) made = newKey(making)
  await replaceFile(target, (file) => file.writeFile(insertKey(text, made.line)))
  return E.right(made.id)
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

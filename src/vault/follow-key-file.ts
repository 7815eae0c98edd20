import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { readFileState } from '../files/file-state.ts'
import { type KeyRing, parseVaultKeys } from './keys.ts'

interface FollowOptions {
  readonly path: string
  /** Puts a ring in force; Left says what speaks against it. */
  readonly take: (keys: KeyRing) => Promise<E.Either<readonly string[], void>>
  /** Told once when the file cannot be used, the last good keys staying in force, and once when it can again. */
  readonly onAlarm: (problems: readonly string[]) => void
  readonly onRecovery: () => void
  readonly onChange: (keys: KeyRing) => void
  /** Milliseconds between two looks at the file. */
  readonly interval?: number
}

/** Follows the file of the vault's keys, as users/users.ts follows the users. */
export const followKeyFile = (options: FollowOptions): { readonly close: () => Promise<void> } => {
  const { path, take, onAlarm, onRecovery, onChange, interval = 500 } = options
  // Nothing that the file can be: what it was changed to since it was read at the start is seen at the first look.
  let state = ''
  let isBroken = false
  let isAlarmed = false
  let isClosed = false

  const read = async (): Promise<E.Either<readonly string[], KeyRing>> => {
    try {
      const keys = parseVaultKeys(await readFile(path, 'utf8'))
      const taken = E.isRight(keys) && !isClosed ? await take(keys.right) : E.right(undefined)
      return E.isLeft(taken) ? taken : keys
    } catch (error) {
      return E.left([(error as Error).message.split(',')[0] ?? 'it cannot be read'])
    }
  }

  const look = async (): Promise<void> => {
    const seen = await readFileState(path)
    if (seen === state && !isBroken) return
    state = seen
    const keys = await read()
    if (isClosed) return
    if (E.isRight(keys)) {
      if (isAlarmed) onRecovery()
      isBroken = isAlarmed = false
      return onChange(keys.right)
    }
    // A file that is broken at one look only was just being written.
    if (isBroken && !isAlarmed) {
      isAlarmed = true
      onAlarm(keys.left)
    }
    isBroken = true
  }

  const scheduleNext = (): NodeJS.Timeout =>
    setTimeout(async () => {
      looking = look()
      await looking
      if (!isClosed) timer = scheduleNext()
    }, interval)
  let looking = Promise.resolve()
  let timer = scheduleNext()

  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await looking
    },
  }
}

import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { readRegularText } from '../files/read-regular-file.ts'
import { type KeyRing, parseVaultKeys } from './keys.ts'

/**
 * A fingerprint of a file's state without reading its content. Follows links. Files are polled rather than watched,
 * which also works through links, on network file systems and for mounted secrets.
 */
const readFileState = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

const POLL_INTERVAL_MS = 500

interface FollowOptions {
  readonly path: string
  /** Installs a ring. Left lists the problems with it. @throws StoreUnavailable if it cannot be compared with the store */
  readonly take: (keys: KeyRing) => Promise<E.Either<readonly string[], void>>
  /**
   * `onAlarm` is called once when the file becomes unusable and the last good keys stay in use, `onRecovery` once when
   * it is usable again.
   */
  readonly onAlarm: (problems: readonly string[]) => void
  readonly onRecovery: () => void
  readonly onChange: (keys: KeyRing) => void
}

export const followKeyFile = (options: FollowOptions): { readonly close: () => Promise<void> } => {
  const { path, take, onAlarm, onRecovery, onChange } = options
  // Matches no file state, so the first poll detects changes since the start.
  let state = ''
  let isBroken = false
  let isAlarmed = false
  const stop = new AbortController()
  const { signal } = stop

  const readKeys = async (): Promise<E.Either<readonly string[], KeyRing>> => {
    try {
      return parseVaultKeys(await readRegularText(path))
    } catch (error) {
      return E.left([(error as Error).message.split(',')[0] ?? 'it cannot be read'])
    }
  }

  /** Undefined while the store cannot be read: then nothing is known to be wrong with the file. */
  const read = async (): Promise<E.Either<readonly string[], KeyRing> | undefined> => {
    const keys = await readKeys()
    if (E.isLeft(keys) || signal.aborted) return keys
    try {
      const taken = await take(keys.right)
      return E.isLeft(taken) ? taken : keys
    } catch {
      return undefined
    }
  }

  const poll = async (): Promise<void> => {
    const seen = await readFileState(path)
    if (seen === state && !isBroken) return
    state = seen
    const keys = await read()
    if (signal.aborted) return
    if (keys === undefined) {
      state = ''
      return
    }
    if (E.isRight(keys)) {
      if (isAlarmed) onRecovery()
      isBroken = isAlarmed = false
      return onChange(keys.right)
    }
    // A file that is broken in one poll only was being written.
    if (isBroken && !isAlarmed) {
      isAlarmed = true
      onAlarm(keys.left)
    }
    isBroken = true
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await poll()
    }
  }
  const ended = run()
  return {
    close: () => {
      stop.abort()
      return ended
    },
  }
}

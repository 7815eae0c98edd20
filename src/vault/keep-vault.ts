import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { SecretStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { readKeyRing } from './keys.ts'
import { reseal } from './reseal.ts'
import type { Vault } from './vault.ts'

/** Between steps of a re-encryption, in which requests are handled. */
const STEP_DELAY_MS = 10

/** Milliseconds between looks at the key file, between re-encryptions, and after one that failed. */
const TIMES = { poll: 500, reseal: 3_600_000, retry: 5_000 }

export interface VaultKeeping {
  /** The key file; undefined where the keys are in a variable. */
  readonly file: string | undefined
  readonly store: Pick<SecretStore, 'readSecrets' | 'secretsSealedWith' | 'exchangeSecrets'>
  readonly vault: Pick<Vault, 'keys' | 'take'>
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
  readonly times?: Partial<typeof TIMES>
}

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

/** Installs the keys of a file. Left: why they cannot be used. @throws StoreUnavailable */
const takeFile = async (file: string, { take }: Pick<Vault, 'take'>): Promise<E.Either<readonly string[], void>> => {
  const ring = await readKeyRing({ vaultKeyFile: file })
  if (E.isLeft(ring)) return ring
  return E.mapLeft((problems: readonly string[]) => [`${file}: ${problems.join('; ')}`])(await take(ring.right))
}

/** Takes up changes of the key file. Returns what looks at it once. */
const makePoll = (file: string, { vault, log, alarms }: VaultKeeping, onTaken: () => void) => {
  // Matches no file state, so that the first look detects changes since the start.
  let state = ''
  // A file that is broken at one look only was being written.
  let broken = 0
  return async (): Promise<void> => {
    const seen = await readFileState(file)
    if (seen === state && broken === 0) return
    const { id } = vault.keys().current
    // Undefined while the store cannot be read: then nothing is known to be wrong with the file.
    const taken = await takeFile(file, vault).catch(() => undefined)
    state = taken === undefined ? '' : seen
    if (taken === undefined) return
    if (E.isLeft(taken)) {
      if (++broken === 2) alarms.raise('vault', `${taken.left.join('; ')}; the previous keys stay in use`)
      return
    }
    if (broken > 1) alarms.clear('vault', 'the vault keys can be read again')
    broken = 0
    const { current } = vault.keys()
    if (current.id !== id) log.info({ key: current.id }, 'sealing with a new vault key')
    onTaken()
  }
}

/**
 * Keeps the vault of a running service: takes up changes of its key file, and re-encrypts the secrets of old keys beside
 * that. Returns the function that ends this.
 */
export const keepVault = (keeping: VaultKeeping): (() => Promise<void>) => {
  const { file, store, vault, clock, randomBytes, log } = keeping
  const times = { ...TIMES, ...keeping.times }
  const stopping = new AbortController()
  const { signal } = stopping
  let due = 0
  let running: Promise<void> | undefined

  const resealOnce = async (): Promise<void> => {
    due = Number.POSITIVE_INFINITY
    let next = times.retry
    try {
      const pause = () => delay(STEP_DELAY_MS)
      const isStopped = () => signal.aborted
      const resealed = await reseal({ store, keys: vault.keys, clock, randomBytes, pause, isStopped })
      const { secrets, unreadable, freed } = resealed
      const key = vault.keys().current.id
      if (secrets > 0) log.info({ key, secrets }, 'secrets re-encrypted with the current vault key')
      for (const problem of unreadable) log.error({ problem }, 'a secret was not re-encrypted')
      for (const id of freed) log.info({ key: id }, 'vault key no longer needed; safe to delete')
      next = times.reseal
    } catch (error) {
      log.warn({ err: error }, 're-encrypting secrets failed; retrying')
    }
    // Keys that came meanwhile have made it due at once.
    due = Math.min(due, performance.now() + next)
    running = undefined
  }

  const poll =
    file === undefined
      ? async () => undefined
      : makePoll(file, keeping, () => {
          due = 0
        })

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await poll()
      if (running === undefined && performance.now() >= due) running = resealOnce()
      await delay(times.poll, undefined, { signal }).catch(() => undefined)
    }
    await running
  }
  const ended = run()
  return () => {
    stopping.abort()
    return ended
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { SecretStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { type KeyRing, readKeyRing } from './keys.ts'
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

const isSame = (one: KeyRing, other: KeyRing): boolean =>
  one.keys.length === other.keys.length &&
  one.keys.every(({ id, key }, n) => other.keys[n]?.id === id && other.keys[n].key.equals(key))

/** Takes up changes of the key file. Returns what reads it once, which also works where it cannot be watched. */
const makePoll = (file: string, { vault, log, alarms }: VaultKeeping, onTaken: () => void) => {
  // A file that is broken at one look only was being written.
  let broken = 0
  const take = async (): Promise<E.Either<readonly string[], void>> => {
    const read = await readKeyRing({ vaultKeyFile: file })
    if (E.isLeft(read)) return read
    const [ring, { current }] = [read.right, vault.keys()]
    if (isSame(ring, vault.keys())) return E.right(undefined)
    const taken = await vault.take(ring)
    if (E.isLeft(taken)) return E.left([`${file}: ${taken.left.join('; ')}`])
    if (ring.current.id !== current.id) log.info({ key: ring.current.id }, 'sealing with a new vault key')
    onTaken()
    return taken
  }
  return async (): Promise<void> => {
    // Undefined while the store cannot be read: then nothing is known to be wrong with the file.
    const taken = await take().catch(() => undefined)
    if (taken === undefined) return
    if (E.isRight(taken)) {
      if (broken > 1) alarms.clear('vault', 'the vault keys can be read again')
      broken = 0
    } else if (++broken === 2) {
      alarms.raise('vault', `${taken.left.join('; ')}; the previous keys stay in use`)
    }
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

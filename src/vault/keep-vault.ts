import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { describeSecret } from '../domain/sealed-secret.ts'
import type { SecretExchange, SecretStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { KEY_CHECKS, NONCE_BYTES, openSecret, sealSecret } from './cipher.ts'
import { type KeyRing, readKeyRing } from './keys.ts'
import { keyNeeds, sealedWith, withoutChecks } from './needs.ts'
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

/** Secrets re-encrypted per step: a millisecond and one sync. */
const STEP = 20

type Resealing = Pick<VaultKeeping, 'store' | 'clock' | 'randomBytes'> & { readonly vault: Pick<Vault, 'keys'> }

/** Removes the key check values of keys no longer needed, so that operators may delete those keys. */
const freeKeys = async ({ store, vault, clock }: Resealing): Promise<readonly string[]> => {
  const current = vault.keys().current.id
  const checks = await store.readSecrets(KEY_CHECKS)
  if (checks.every(({ key_id }) => key_id === current)) return []
  const needs = await keyNeeds(store, current, clock())
  const freed = needs.filter(({ isNeeded }) => !isNeeded).map(({ id }) => id)
  await store.exchangeSecrets(checks.filter(({ key_id }) => freed.includes(key_id)).map((old) => ({ old })))
  return freed
}

/**
 * Re-encrypts every secret sealed with an old key, in small steps, and frees keys no longer needed. It can be
 * interrupted and repeated: each step is atomic, and secrets that change meanwhile are left alone. Returns how many it
 * re-encrypted, those that cannot be opened, one sentence each, which still need their key, and the keys it freed.
 *
 * @throws StoreUnavailable
 */
export const reseal = async (resealing: Resealing, signal?: AbortSignal) => {
  const { store, vault, randomBytes } = resealing
  const unreadable: string[] = []
  let secrets = 0
  for (const { id } of vault.keys().keys.slice(1)) {
    for await (const page of sealedWith(store, id, STEP)) {
      if (signal?.aborted) break
      const ring = vault.keys()
      // The identities of secrets stay the same.
      const exchanges = withoutChecks(page).flatMap((old): readonly SecretExchange[] => {
        const clear = openSecret(ring, old)
        if (E.isRight(clear))
          return [{ old, next: sealSecret(ring.current, old, clear.right, randomBytes(NONCE_BYTES)) }]
        unreadable.push(`${describeSecret(old.owner, old.field)}: ${clear.left}`)
        return []
      })
      if (exchanges.length > 0) await store.exchangeSecrets(exchanges)
      secrets += exchanges.length
      await delay(STEP_DELAY_MS)
    }
  }
  return { secrets, unreadable, freed: signal?.aborted ? [] : await freeKeys(resealing) }
}

/**
 * Keeps the vault of a running service: takes up changes of its key file, and re-encrypts the secrets of old keys beside
 * that. Returns the function that ends this.
 */
export const keepVault = (keeping: VaultKeeping): (() => Promise<void>) => {
  const { file, vault, log } = keeping
  const times = { ...TIMES, ...keeping.times }
  const stopping = new AbortController()
  const { signal } = stopping
  /** Aborted when keys came: secrets of the others are then re-encrypted at once. */
  let taken = new AbortController()
  const pause = (milliseconds: number, ended: AbortSignal): Promise<void> =>
    delay(milliseconds, undefined, { signal: ended }).catch(() => undefined)

  /** Returns after how long to look again. */
  const resealOnce = async (): Promise<number> => {
    try {
      const { secrets, unreadable, freed } = await reseal(keeping, signal)
      const key = vault.keys().current.id
      if (secrets > 0) log.info({ key, secrets }, 'secrets re-encrypted with the current vault key')
      for (const problem of unreadable) log.error({ problem }, 'a secret was not re-encrypted')
      for (const id of freed) log.info({ key: id }, 'vault key no longer needed; safe to delete')
      return times.reseal
    } catch (error) {
      log.warn({ err: error }, 're-encrypting secrets failed; retrying')
      return times.retry
    }
  }
  const resealAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      taken = new AbortController()
      await pause(await resealOnce(), AbortSignal.any([signal, taken.signal]))
    }
  }
  const poll = file === undefined ? undefined : makePoll(file, keeping, () => taken.abort())
  const followFile = async (): Promise<void> => {
    while (poll !== undefined && !signal.aborted) {
      await poll()
      await pause(times.poll, signal)
    }
  }
  const loops = Promise.all([followFile(), resealAgain()])
  return async () => {
    stopping.abort()
    await loops
  }
}

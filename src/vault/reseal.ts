import * as E from 'fp-ts/lib/Either.js'
import { describeSecret } from '../domain/sealed-secret.ts'
import type { SecretExchange, SecretStore } from '../event-store/event-store.ts'
import { KEY_CHECKS, NONCE_BYTES, openSecret, sealSecret } from './cipher.ts'
import type { KeyRing } from './keys.ts'
import { keyNeeds, sealedWith, withoutChecks } from './needs.ts'

/** Secrets re-encrypted per step: a millisecond and one sync. */
const STEP = 20

export interface Resealing {
  readonly store: Pick<SecretStore, 'readSecrets' | 'secretsSealedWith' | 'exchangeSecrets'>
  /** The current ring. */
  readonly keys: () => KeyRing
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  /** Awaited between steps, to yield to other work. */
  readonly pause: () => Promise<void>
  readonly isStopped: () => boolean
}

/** Result of re-encryption. */
export interface Resealed {
  readonly secrets: number
  /** Secrets that cannot be opened, one sentence each. They are unchanged and still need their key. */
  readonly unreadable: readonly string[]
  /** Keys no longer needed. */
  readonly freed: readonly string[]
}

/** Removes the key check values of keys no longer needed, so that operators may delete those keys. */
const freeKeys = async ({ store, keys, clock }: Resealing): Promise<readonly string[]> => {
  const current = keys().current.id
  const checks = await store.readSecrets(KEY_CHECKS)
  if (checks.every(({ key_id }) => key_id === current)) return []
  const needs = await keyNeeds(store, current, clock())
  const freed = needs.filter(({ isNeeded }) => !isNeeded).map(({ id }) => id)
  await store.exchangeSecrets(checks.filter(({ key_id }) => freed.includes(key_id)).map((old) => ({ old })))
  return freed
}

/**
 * Re-encrypts every secret sealed with an old key, in small steps, and frees keys no longer needed. It can be
 * interrupted and repeated: each step is atomic, and secrets that change meanwhile are left alone.
 *
 * @throws StoreUnavailable
 */
export const reseal = async (resealing: Resealing): Promise<Resealed> => {
  const { store, keys, randomBytes, pause, isStopped } = resealing
  const unreadable: string[] = []
  let secrets = 0
  for (const { id } of keys().keys.slice(1)) {
    for await (const page of sealedWith(store, id, STEP)) {
      if (isStopped()) break
      const ring = keys()
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
      await pause()
    }
  }
  return { secrets, unreadable, freed: isStopped() ? [] : await freeKeys(resealing) }
}

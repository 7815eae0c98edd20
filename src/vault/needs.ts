import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { SecretStore } from '../event-store/event-store.ts'
import { KEY_CHECKS } from './cipher.ts'
import { currentSince } from './vault.ts'

/**
 * How long a key is kept after its replacement. Idempotency keys, which it authenticates, are valid for a day. The
 * extra minute covers requests in flight.
 */
const KEEP_TIME_MS = 24 * 3_600_000 + 60_000
/** Secrets per page, handled without yielding to the event loop. */
const PAGE_SIZE = 500

/** The part of the store that determines which keys are needed. */
export type SealedStore = Pick<SecretStore, 'readSecrets' | 'secretsSealedWith'>

/** Uses of a key. */
export interface KeyNeed {
  readonly id: string
  /** Number of secrets sealed with it. */
  readonly secrets: number
  /** Unix milliseconds until which recorded idempotency keys may depend on it; absent for the current key. */
  readonly retriesUntil?: number
  readonly isNeeded: boolean
}

/** Removes key check values, which are nobody's secrets. */
export const withoutChecks = (secrets: readonly SealedSecret[]): readonly SealedSecret[] =>
  secrets.filter(({ owner }) => !owner.startsWith(KEY_CHECKS))

/** All secrets sealed with a key, with its check value, in pages. */
export async function* sealedWith(
  store: Pick<SecretStore, 'secretsSealedWith'>,
  keyId: string,
  size = PAGE_SIZE,
): AsyncGenerator<readonly SealedSecret[]> {
  let page = await store.secretsSealedWith(keyId, undefined, size)
  while (page.length > 0) {
    yield page
    page = await store.secretsSealedWith(keyId, page.at(-1), size)
  }
}

const countSealedWith = async (store: SealedStore, keyId: string): Promise<number> => {
  let count = 0
  for await (const page of sealedWith(store, keyId)) count += withoutChecks(page).length
  return count
}

/** When the key was replaced; undefined if it is the newest. */
const replacedAt = (check: SealedSecret, checks: readonly SealedSecret[]): number | undefined => {
  const later = checks.filter((other) => other !== check && currentSince(other) >= currentSince(check))
  return later.length === 0 ? undefined : Math.min(...later.map(currentSince))
}

/**
 * Uses of all keys known to the store, current first.
 *
 * @param current id of the current key
 * @param now Unix milliseconds
 */
export const keyNeeds = async (store: SealedStore, current: string, now: number): Promise<readonly KeyNeed[]> => {
  const checks = await store.readSecrets(KEY_CHECKS)
  const needs: KeyNeed[] = []
  for (const check of checks.toSorted((a, b) => currentSince(b) - currentSince(a))) {
    const id = check.key_id
    const secrets = await countSealedWith(store, id)
    const replaced = id === current ? undefined : replacedAt(check, checks)
    // A key not known to be replaced may be the current key of another instance.
    if (replaced === undefined) needs.push({ id, secrets, isNeeded: true })
    else {
      const retriesUntil = replaced + KEEP_TIME_MS
      needs.push({ id, secrets, retriesUntil, isNeeded: secrets > 0 || now < retriesUntil })
    }
  }
  return needs.toSorted((a, b) => Number(b.id === current) - Number(a.id === current))
}

import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { currentSince, KEY_CHECKS } from './vault.ts'

/**
 * Milliseconds that a key is kept after another took its place: retry keys are recognised with it, and they are known for
 * a day. The minute is for what was under way.
 */
const KEEP_FOR = 24 * 3_600_000 + 60_000
/** Secrets counted without giving others a turn. */
const PAGE = 500

/** What of the store tells which keys are needed. */
export type SealedStore = Pick<EventStore, 'readSecrets' | 'secretsSealedWith'>

/** What a key is needed for. */
export interface KeyNeed {
  readonly id: string
  /** How many secrets are sealed with it. */
  readonly secrets: number
  /** Unix milliseconds until which retry keys may be recognised with it; absent for the one in use. */
  readonly retriesUntil?: number
  readonly isNeeded: boolean
}

/** Leaves out what is no SUT's: the values by which keys are recognised. */
export const withoutChecks = (secrets: readonly SealedSecret[]): readonly SealedSecret[] =>
  secrets.filter(({ sut_id }) => !sut_id.startsWith(KEY_CHECKS))

const countSealedWith = async (store: SealedStore, keyId: string): Promise<number> => {
  let count = 0
  let page = await store.secretsSealedWith(keyId, undefined, PAGE)
  while (page.length > 0) {
    count += withoutChecks(page).length
    page = await store.secretsSealedWith(keyId, page.at(-1), PAGE)
  }
  return count
}

/** When another key took the place of one; undefined while it is the newest. */
const replacedAt = (check: SealedSecret, checks: readonly SealedSecret[]): number | undefined => {
  const later = checks.filter((other) => other !== check && currentSince(other) >= currentSince(check))
  return later.length === 0 ? undefined : Math.min(...later.map(currentSince))
}

/**
 * What the keys that the store knows are needed for, the current one first.
 *
 * @param current the id of the key that is sealed with
 * @param now Unix milliseconds
 */
export const keyNeeds = async (store: SealedStore, current: string, now: number): Promise<readonly KeyNeed[]> => {
  const checks = await store.readSecrets(KEY_CHECKS)
  const needs: KeyNeed[] = []
  for (const check of checks.toSorted((a, b) => currentSince(b) - currentSince(a))) {
    const id = check.key_id
    const secrets = await countSealedWith(store, id)
    const replaced = id === current ? undefined : replacedAt(check, checks)
    // One that is not known to have been replaced may be what another instance seals with.
    if (replaced === undefined) needs.push({ id, secrets, isNeeded: true })
    else {
      const retriesUntil = replaced + KEEP_FOR
      needs.push({ id, secrets, retriesUntil, isNeeded: secrets > 0 || now < retriesUntil })
    }
  }
  return needs.toSorted((a, b) => Number(b.id === current) - Number(a.id === current))
}

import * as E from 'fp-ts/lib/Either.js'
import { makeTurns } from '../concurrency/turns.ts'
import type { Quota } from '../domain/events/user.ts'
import { type Failure, refuse } from '../domain/failure.ts'
import type { QuotaUse, Usage } from '../domain/reservation/quota.ts'
import type { StorePosition } from '../domain/values/position.ts'
import { STORE_TIMEOUT_MS, StoreUnavailable } from '../event-store/event-store.ts'

export interface Quotas {
  /**
   * Runs a command that the quota of a user may limit, with the quota and what is used of it. The commands of a limited
   * user run one after the other, each on what the one before has left, and are refused as unavailable if their turn does
   * not come in time. Those of other users run at once, without a quota.
   */
  readonly run: <A extends { readonly storePosition: StorePosition }>(
    userId: string,
    run: (quota: QuotaUse | undefined) => Promise<E.Either<Failure, A>>,
  ) => Promise<E.Either<Failure, A>>
  /**
   * Reads what users have reserved, without a turn: a guess. Then says the quota of a user and what is used of it;
   * undefined if nothing limits it, `unknown` if it was not read.
   */
  readonly usesOf: (userIds: Iterable<string>) => Promise<(userId: string) => QuotaUse | 'unknown' | undefined>
  /** The highest priority of a user's requests; null if nothing limits it. */
  readonly priorityMaxOf: (userId: string) => number | null
}

interface QuotasOptions {
  /** The quota of a user; undefined for those who have none. */
  readonly quotaOf: (userId: string) => Quota | undefined
  /** What a user has reserved, as far as the views have come. Rejects with StoreUnavailable. */
  readonly usageOf: (userId: string) => Usage | Promise<Usage>
  /** Waits until the views have come to a store position. False if they have not in time. */
  readonly waitForViews: (storePosition: StorePosition) => Promise<boolean> | boolean
  /** Milliseconds that a command waits for its turn: `STORE_TIMEOUT_MS` by default. */
  readonly turnTimeout?: number
}

/** The use of a quota that cannot be read. */
export const refuseUncounted = (): E.Either<Failure, never> =>
  refuse('unavailable', 'What the user has reserved cannot be counted now. Try again.')

export const makeQuotas = (options: QuotasOptions): Quotas => {
  const { usageOf, waitForViews, turnTimeout = STORE_TIMEOUT_MS } = options
  const quotaOf = (userId: string): Quota | undefined => {
    const quota = options.quotaOf(userId)
    const isLimited = quota !== undefined && (quota.hours_per_week !== null || quota.reservations_max !== null)
    return isLimited ? quota : undefined
  }
  const turns = makeTurns()
  /** Store positions of users' commands to which the views had not come in time. */
  const behind = new Map<string, StorePosition>()

  const reach = async (userId: string, storePosition: StorePosition): Promise<boolean> => {
    const isReached = await waitForViews(storePosition)
    if (isReached) behind.delete(userId)
    else behind.set(userId, storePosition)
    return isReached
  }

  const findUsage = async (userId: string): Promise<Usage | undefined> => {
    const storePosition = behind.get(userId)
    if (storePosition !== undefined && !(await reach(userId, storePosition))) return undefined
    try {
      return await usageOf(userId)
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    }
  }

  const runExclusive: Quotas['run'] = async (userId, run) => {
    const turn = turns.acquire(userId, { timeoutMs: turnTimeout })
    // The store may be silent: each command before this one then takes as long as the store may.
    if (turn !== undefined && !(await turn))
      return refuse('unavailable', 'Other requests for this user are still in progress. Try again.')
    try {
      const usage = await findUsage(userId)
      if (usage === undefined) return refuseUncounted()
      // It may have changed during the wait.
      const quota = quotaOf(userId)
      const result = await run(quota && { quota, usage })
      if (E.isRight(result)) await reach(userId, result.right.storePosition)
      return result
    } finally {
      turns.release(userId)
    }
  }

  const usesOf: Quotas['usesOf'] = async (userIds) => {
    const usages = new Map<string, Usage>()
    for (const userId of new Set(userIds)) {
      const usage = quotaOf(userId) === undefined ? undefined : await findUsage(userId)
      if (usage !== undefined) usages.set(userId, usage)
    }
    return (userId) => {
      const quota = quotaOf(userId)
      if (quota === undefined) return undefined
      const usage = usages.get(userId)
      return usage === undefined ? 'unknown' : { quota, usage }
    }
  }

  return {
    run: (userId, run) => (quotaOf(userId) === undefined ? run(undefined) : runExclusive(userId, run)),
    usesOf,
    priorityMaxOf: (userId) => options.quotaOf(userId)?.priority_max ?? null,
  }
}

import { eraseUser, type FinishRemoval } from '../../commands/users/removal.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Timed } from '../../processes/loop.ts'
import type { Lab } from '../core/base.ts'

interface FinishOptions extends Lab {
  readonly finishRemoval: FinishRemoval
  readonly isServing: () => boolean
  /** Ends the attempts. */
  readonly stopping: AbortSignal
}

/** How long after a removal another instance may still accept reservations, with a margin. */
const SETTLE_TIME_MS = 20_000

/**
 * Finishes removals and erasures: what a crash has left, and what another instance accepted before it knew. Looks at each
 * removed user once after a start, and every second for a while after the removal.
 */
export const makeFinishRemovals = (options: FinishOptions): Timed => {
  const { clock, log, store, users, finishRemoval, makeRequestId, isServing, stopping } = options
  const failure = 'what a removed user left was not ended; retrying'
  const finished = new Set<string>()
  const attempt = async (key: string, act: () => Promise<unknown>, isLast = true): Promise<void> => {
    if (finished.has(key) || stopping.aborted) return
    try {
      await act()
      if (isLast) finished.add(key)
    } catch (error) {
      log.error({ err: error }, failure)
    }
  }
  return {
    failure,
    tick: async () => {
      const members = isServing() ? users.members() : []
      // A crash may have left their secrets. Where it has not, this only reads.
      for (const { _id } of members.filter(({ status }) => status === 'erased'))
        await attempt(_id, () => eraseUser(store, _id))
      for (const { _id: user_id, removal: reservations, accessSince: revision, removed_at = '' } of members) {
        if (reservations === null) continue
        const isSettled = clock() > epochMillisecondsOf(removed_at) + SETTLE_TIME_MS
        const finish = () => finishRemoval({ user_id, revision, reservations }, makeRequestId())
        await attempt(`${user_id} ${revision}`, finish, isSettled)
      }
    },
  }
}

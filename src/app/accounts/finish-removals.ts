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
  const { clock, store, users, finishRemoval, makeRequestId, isServing, stopping } = options
  const finished = new Set<string>()
  return {
    failure: 'what a removed user left was not ended; retrying',
    tick: async () => {
      for (const member of users.members()) {
        const { _id: user_id, status, removal: reservations, accessSince: revision, removed_at = '' } = member
        if (reservations === null) continue
        const key = `${user_id} ${revision} ${status}`
        if (finished.has(key) || !isServing() || stopping.aborted) continue
        // A crash may have left their secrets. Where it has not, this only reads.
        if (status === 'erased') await eraseUser(store, user_id)
        await finishRemoval({ user_id, revision, reservations }, makeRequestId())
        if (clock() > epochMillisecondsOf(removed_at) + SETTLE_TIME_MS) finished.add(key)
      }
    },
  }
}

import { BERTH } from '../../commands/listen-ports.ts'
import type { EndReservations } from '../../commands/users/end-reservations.ts'
import { eraseUser, makeIsRemovalInForce, type RemovalOfUser, revokeTokens } from '../../commands/users/removal.ts'
import { makeEventId } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Timed } from '../../processes/loop.ts'
import type { Member } from '../../users/user.ts'
import type { Lab } from '../core/base.ts'

interface FinishOptions extends Lab {
  readonly endReservations: EndReservations
  readonly isServing: () => boolean
  /** Ends the attempts. */
  readonly stopping: AbortSignal
}

/** How long after a removal another instance may still accept reservations, with a margin. */
const SETTLE_TIME_MS = 20_000

/** Makes the function that ends what a removed user has left. */
const makeFinish = ({ runner, endReservations, clock, randomHex }: FinishOptions) => {
  const isInForce = makeIsRemovalInForce(runner)
  const makeRequestId = (): string => makeEventId(clock(), randomHex(10))
  return async ({ _id: user_id, removal, accessSince: revision }: Member): Promise<void> => {
    const ended: RemovalOfUser = { user_id, revision }
    await revokeTokens(runner, user_id, { actor: BERTH, makeRequestId, isStillDue: () => isInForce(ended) })
    if (removal === 'cancel') await endReservations(ended, makeRequestId)
  }
}

/**
 * Finishes removals and erasures: what a crash has left, and what another instance accepted before it knew. Looks at each
 * removed user once after a start, and every second for a while after the removal.
 */
export const makeFinishRemovals = (options: FinishOptions): Timed => {
  const { clock, log, store, users, isServing, stopping } = options
  const finish = makeFinish(options)
  const failure = 'what a removed user left was not ended; retrying'
  const finished = new Set<string>()
  const attempt = async (key: string, act: () => Promise<void>, isLast = true): Promise<void> => {
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
      for (const member of members.filter(({ removal }) => removal !== null)) {
        const isSettled = clock() > epochMillisecondsOf(member.removed_at ?? '') + SETTLE_TIME_MS
        await attempt(`${member._id} ${member.accessSince}`, () => finish(member), isSettled)
      }
    },
  }
}

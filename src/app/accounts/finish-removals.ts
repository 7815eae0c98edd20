import { BERTH } from '../../commands/listen-ports.ts'
import type { EndReservations } from '../../commands/users/end-reservations.ts'
import { eraseUser, makeIsRemovalInForce, type RemovalOfUser } from '../../commands/users/removal-in-force.ts'
import { revokeTokens } from '../../commands/users/revoke-tokens.ts'
import { makeEventId } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Member } from '../../users/user.ts'
import type { Opened } from './opened.ts'

interface FinishOptions extends Pick<Opened, 'clock' | 'log' | 'randomHex' | 'store' | 'users' | 'runner'> {
  readonly endReservations: EndReservations
  readonly isServing: () => boolean
  readonly pause: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/** How long after a removal another instance may still accept reservations, with a margin. */
const SETTLE_TIME_MS = 20_000
const POLL_INTERVAL_MS = 1_000

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
 * Finishes removals and erasures until the signal aborts: what a crash has left, and what another instance accepted
 * before it knew. Checks each removed user once after a start, and every second for a while after the removal.
 */
export const finishRemovals = async (options: FinishOptions): Promise<void> => {
  const { clock, log, store, users, isServing, pause, signal } = options
  const finish = makeFinish(options)
  const finished = new Set<string>()
  const attempt = async (act: () => Promise<void>): Promise<boolean> => {
    try {
      await act()
      return true
    } catch (error) {
      log.error({ err: error }, 'what a removed user left was not ended; retrying')
      return false
    }
  }
  for (; !signal.aborted; await pause(POLL_INTERVAL_MS)) {
    const members = isServing() ? users.members() : []
    for (const { _id } of members.filter(({ status }) => status === 'erased')) {
      if (finished.has(_id) || signal.aborted) continue
      // A crash may have left them. Where it has not, this only reads.
      if (await attempt(() => eraseUser(store, _id))) finished.add(_id)
    }
    for (const member of members.filter(({ removal }) => removal !== null)) {
      const key = `${member._id} ${member.accessSince}`
      if (finished.has(key)) continue
      const isSettled = clock() > epochMillisecondsOf(member.removed_at ?? '') + SETTLE_TIME_MS
      if (signal.aborted) return
      if ((await attempt(() => finish(member))) && isSettled) finished.add(key)
    }
  }
}

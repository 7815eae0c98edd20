import type { EndReservations } from '../commands/users/end-reservations.ts'
import type { RemovalOfUser } from '../commands/users/removal-in-force.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'

/** A removed user. */
export interface RemovedUser {
  readonly _id: string
  readonly removal: 'keep' | 'cancel' | null
  /** The revision of its removal. */
  readonly accessSince: number
  readonly removed_at?: string
}

/** How long after a removal another instance may still accept reservations, with a margin. */
const SETTLE_TIME_MS = 20_000

export interface RemovalsOptions {
  readonly removed: () => readonly RemovedUser[]
  readonly revokeTokens: (removal: RemovalOfUser) => Promise<void>
  readonly endReservations: EndReservations
  /** Users that were erased, whose secrets a crash may have left. */
  readonly erased: () => readonly string[]
  readonly eraseSecrets: (userId: string) => Promise<void>
  readonly isServing: () => boolean
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly makeRequestId: () => string
  readonly pause: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

const POLL_INTERVAL_MS = 1_000

/**
 * Finishes removals: what a crash has left, and what another instance accepted before it knew. Checks each removed
 * user once after a start, and every second for a while after the removal.
 */
export const runRemovals = async (options: RemovalsOptions): Promise<void> => {
  const {
    removed,
    revokeTokens,
    endReservations,
    erased,
    eraseSecrets,
    isServing,
    clock,
    makeRequestId,
    pause,
    signal,
    onError,
  } = options
  const finished = new Set<string>()
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act()
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
  while (!signal.aborted) {
    for (const id of isServing() ? erased() : []) {
      if (finished.has(id) || signal.aborted) continue
      if (await attempt(() => eraseSecrets(id))) finished.add(id)
    }
    for (const { _id, removal, accessSince: revision, removed_at = '' } of isServing() ? removed() : []) {
      const key = `${_id} ${revision}`
      if (finished.has(key)) continue
      const isSettled = clock() > epochMillisecondsOf(removed_at) + SETTLE_TIME_MS
      if (signal.aborted) return
      const finish = async (): Promise<void> => {
        await revokeTokens({ user_id: _id, revision })
        if (removal === 'cancel') await endReservations({ user_id: _id, revision }, makeRequestId)
      }
      if ((await attempt(finish)) && isSettled) finished.add(key)
    }
    await pause(POLL_INTERVAL_MS)
  }
}

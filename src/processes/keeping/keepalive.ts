import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { aliveFor, aliveUntil, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Timed } from '../loop.ts'
import { type BatchOptions, makeRecordNow, type RecordingOptions, runBatches } from '../process.ts'
import { GATEWAY } from '../sessions/recorder.ts'
import type { Upcoming, UpcomingReservations } from '../upcoming.ts'
import type { Unbroken } from './unbroken.ts'

export interface KeepaliveOptions extends RecordingOptions, BatchOptions {
  readonly upcoming: Pick<UpcomingReservations, 'all'>
  readonly unbroken: Pick<Unbroken, 'lasting'>
  /** Number of open connections of a reservation here. */
  readonly connections: (reservationId: string) => number
}

/**
 * Keeps reservations with `keepalive` alive while they have connections here, unless their holder has ever kept them
 * alive, and releases those that nobody keeps alive. Decided again on the SUT's stream, so that views that are a little
 * behind, or another instance that was first, make no difference.
 */
export const makeKeepalive = (options: KeepaliveOptions): Timed => {
  const { upcoming, unbroken, connections, clock } = options
  const recordNow = makeRecordNow(options)

  const actOf = (reservation: Upcoming): 'keep' | 'release' | undefined => {
    const { _id, keepalive, kept, begins, ends, hasHeartbeats } = reservation
    const now = clock.now()
    if (keepalive === 0 || begins > now || ends <= now) return undefined
    const life = { keepalive, kept, began: begins }
    if (connections(_id) > 0 && !hasHeartbeats) return now >= keptAgainFrom(life) ? 'keep' : undefined
    // Nobody could keep it alive while no instance was ready.
    return now >= aliveUntil(life) && unbroken.lasting() >= aliveFor(life) ? 'release' : undefined
  }

  const perform = async (reservation: Upcoming): Promise<void> => {
    const { _id, sut_id, user_id } = reservation
    const keep = { type: 'KeepReservation', actor: GATEWAY, _id, user_id } as const
    const release = { type: 'ReleaseUnattended', _id, cause: 'keepalive' } as const
    // Others were before it, and the clock or the service may not be what it was.
    const act = actOf(reservation)
    if (act === undefined) return
    const [command, actor] = act === 'keep' ? [keep, GATEWAY] : [release]
    await recordNow(reservationDecider, sutStream(sut_id), command, actor)
  }

  return {
    failure: 'reservations were not kept; retrying',
    tick: async () => {
      if (!clock.mayRecord()) return
      const due = [...upcoming.all()].filter((reservation) => actOf(reservation) !== undefined)
      await runBatches(due, perform, options)
    },
  }
}

import type { Runner } from '../../commands/command-envelope.ts'
import { findHeldReservation } from '../../commands/find-held.ts'
import { lifeOfReservation } from '../../domain/calendar/held.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { aliveFor, aliveUntil, type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Timed } from '../loop.ts'
import { makeRecordNow, type RecordingOptions, type RunBatches, shuffled } from '../process.ts'
import { GATEWAY } from '../sessions/recorder.ts'
import type { Upcoming, UpcomingReservations } from '../upcoming.ts'
import type { Unbroken } from './unbroken.ts'

export interface KeepaliveOptions extends RecordingOptions {
  readonly upcoming: Pick<UpcomingReservations, 'get' | 'all'>
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly unbroken: Pick<Unbroken, 'lasting'>
  /** Number of open connections of a reservation here. */
  readonly connections: (reservationId: string) => number
  readonly onError: (error: unknown) => void
  readonly runBatches: RunBatches
}

/** How a reservation has been kept alive, and whether its holder ever did. */
interface Life extends Kept {
  readonly hasHeartbeats: boolean
}

/**
 * Keeps reservations with `keepalive` alive while they have connections here, unless their holder has ever kept them
 * alive, and releases those that nobody keeps alive.
 */
export const makeKeepalive = (options: KeepaliveOptions): Timed => {
  const { upcoming, runner, unbroken, connections, clock, onError, runBatches } = options
  const recordNow = makeRecordNow(options)
  /** As read last. Before anything is done they are read again. Bounded by the upcoming reservations. */
  const lives = new Map<string, Life>()

  const actOf = (id: string, life: Life): 'keep' | 'release' | undefined => {
    const now = clock.now()
    if (connections(id) > 0 && !life.hasHeartbeats) return now >= keptAgainFrom(life) ? 'keep' : undefined
    // Nobody could keep it alive while no instance was ready.
    return now >= aliveUntil(life) && unbroken.lasting() >= aliveFor(life) ? 'release' : undefined
  }
  const isDue = ({ _id, keepalive, begins, ends }: Upcoming): boolean => {
    const now = clock.now()
    if (keepalive === 0 || begins > now || ends <= now) return false
    const life = lives.get(_id)
    return life === undefined || actOf(_id, life) !== undefined
  }

  const perform = async ({ _id, sut_id, user_id }: Upcoming): Promise<void> => {
    const held = await findHeldReservation(runner, sut_id, _id)
    if (held === undefined || held === 'unavailable') return
    const life = { ...lifeOfReservation(held), hasHeartbeats: held.hasHeartbeats }
    lives.set(_id, life)
    const act = held.keepalive === 0 ? undefined : actOf(_id, life)
    if (act === undefined) return
    const keep = { type: 'KeepReservation', actor: GATEWAY, _id, user_id, documentStatus: 'made' } as const
    const release = { type: 'ReleaseUnattended', _id, cause: 'keepalive' } as const
    const [command, actor] = act === 'keep' ? [keep, GATEWAY] : [release]
    await recordNow(reservationDecider, sutStream(sut_id), command, actor)
    lives.delete(_id)
  }

  return {
    failure: 'reservations were not kept; retrying',
    tick: async () => {
      if (!clock.mayRecord()) return
      const due = [...upcoming.all()].filter(isDue)
      await runBatches(shuffled(due), (reservation) => perform(reservation).catch(onError))
      for (const id of lives.keys()) if (upcoming.get(id) === undefined) lives.delete(id)
    },
  }
}

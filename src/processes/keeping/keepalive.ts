import type { Runner } from '../../commands/command-envelope.ts'
import { findHeldReservation } from '../../commands/find-held.ts'
import { lifeOf } from '../../domain/calendar/held.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { aliveFor, aliveUntil, type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Views } from '../../read-models/views.ts'
import { makeDue } from '../due.ts'
import { makeRecordNow, makeRunBatches, type RecordingOptions, runRepeatedly, shuffled } from '../process.ts'
import { GATEWAY } from '../sessions/recorder.ts'
import type { Upcoming, UpcomingReservations } from '../upcoming.ts'
import type { Unbroken } from './unbroken.ts'

export interface KeepaliveOptions extends RecordingOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'watch'>
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly unbroken: Pick<Unbroken, 'lasting'>
  /** Number of open connections of a reservation here. */
  readonly connections: (reservationId: string) => number
}

type Act = 'find out' | 'keep' | 'release'

/** How a reservation has been kept alive, and whether its holder ever did. */
interface Life extends Kept {
  readonly hasHeartbeats: boolean
}

const lifeAtStart = ({ keepalive, begins }: Upcoming): Life => ({
  keepalive,
  began: begins,
  kept: 0,
  hasHeartbeats: false,
})

/** How reservations have been kept alive, as far as that is known. Bounded by the upcoming reservations. */
const followLives = ({ upcoming, views }: Pick<KeepaliveOptions, 'upcoming' | 'views'>) => {
  const lives = new Map<string, Life>()
  upcoming.observe((id, reservation, isNew) => {
    if (reservation === undefined || reservation.keepalive === 0) lives.delete(id)
    // Of those that were read ahead it is not known whether they were kept alive.
    else if (isNew) lives.set(id, lifeAtStart(reservation))
  })
  const unwatch = views.watch((events) => {
    for (const { type, data, metadata } of events) {
      const life = type === 'ReservationKept' ? lives.get(data._id) : undefined
      if (life === undefined || type !== 'ReservationKept') continue
      const hasHeartbeats = life.hasHeartbeats || metadata.role !== 'system'
      lives.set(data._id, { ...life, kept: epochMillisecondsOf(metadata.time), hasHeartbeats })
    }
  })
  return { lives, unwatch }
}

type Lives = Map<string, Life>

/** Makes the function that says what is to be done about a reservation next, and when. */
const makeNextAct =
  ({ clock, unbroken, connections }: KeepaliveOptions, lives: Lives) =>
  (reservation: Upcoming): { readonly act: Act; readonly at: number } | undefined => {
    const now = clock.now()
    if (reservation.keepalive === 0 || reservation.ends <= now) return undefined
    const life = lives.get(reservation._id)
    if (life === undefined) return { act: 'find out', at: keptAgainFrom(lifeAtStart(reservation)) }
    if (connections(reservation._id) > 0 && !life.hasHeartbeats) return { act: 'keep', at: keptAgainFrom(life) }
    // Nobody could keep it alive while no instance was ready.
    return { act: 'release', at: now + Math.max(aliveUntil(life) - now, aliveFor(life) - unbroken.lasting()) }
  }

/** Makes the function that does it. */
const makePerform = (options: KeepaliveOptions, lives: Lives, nextAct: ReturnType<typeof makeNextAct>) => {
  const { runner, onError } = options
  const recordNow = makeRecordNow(options)
  const findOut = async (reservation: Upcoming): Promise<void> => {
    const held = await findHeldReservation(runner, reservation.sut_id, reservation._id)
    if (held === undefined || held === 'unavailable' || held.keepalive === 0) return
    lives.set(held._id, { ...lifeOf(held), hasHeartbeats: held.hasHeartbeats })
  }
  const perform = async (reservation: Upcoming): Promise<void> => {
    const { _id, sut_id, user_id } = reservation
    const act = nextAct(reservation)?.act
    if (act === undefined || act === 'find out') return findOut(reservation)
    const keep = { type: 'KeepReservation', actor: GATEWAY, _id, user_id, documentStatus: 'made' } as const
    const release = { type: 'ReleaseUnattended', _id, cause: 'keepalive' } as const
    const [command, actor] = act === 'keep' ? [keep, GATEWAY] : [release]
    const outcome = await recordNow(reservationDecider, sutStream(sut_id), command, actor)
    // Another instance may have been first, so that it is found out again.
    if (outcome?.kind !== 'recorded') lives.delete(_id)
  }
  return (reservation: Upcoming): Promise<void> => perform(reservation).catch(onError)
}

/**
 * Keeps reservations with `keepalive` alive while they have connections here, unless their holder has ever kept them
 * alive, and releases those that nobody keeps alive, until the signal aborts.
 */
export const runKeepalive = async (options: KeepaliveOptions): Promise<void> => {
  const { upcoming, clock } = options
  const { lives, unwatch } = followLives(options)
  const nextAct = makeNextAct(options, lives)
  const due = makeDue(upcoming.all, (reservation) => nextAct(reservation)?.at)
  const perform = makePerform(options, lives, nextAct)
  const runBatches = makeRunBatches(options.signal)
  await runRepeatedly(options, async () => {
    if (!clock.mayRecord()) return
    await runBatches(shuffled(due.find(clock.now())), perform)
    for (const id of lives.keys()) if (upcoming.get(id) === undefined) lives.delete(id)
  })
  unwatch()
}

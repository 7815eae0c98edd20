import type { Runner } from '../../commands/command-envelope.ts'
import { findHeldReservation } from '../../commands/find-held.ts'
import { lifeOf } from '../../domain/calendar/held.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { aliveFor, aliveUntil, type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Views } from '../../read-models/views.ts'
import { makeDueTimes } from '../due-times.ts'
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

/** Between looks at a reservation of which less than half of the time is left, and before a failed command is retried. */
const LOOK_INTERVAL_MS = 1_000

type Act = 'find out' | 'keep' | 'release'

/** How a reservation has been kept alive, and whether its holder ever did. */
interface Life extends Kept {
  readonly hasHeartbeats: boolean
}

/** How reservations have been kept alive, and when to look at each next. */
const followDeadlines = ({ upcoming, views }: Pick<KeepaliveOptions, 'upcoming' | 'views'>) => {
  /** As far as they are known. Bounded by the upcoming reservations. */
  const lives = new Map<string, Life>()
  const looks = makeDueTimes()

  const set = (id: string, life: Life): void => {
    lives.set(id, life)
    // Nothing is to be done before.
    looks.set(id, keptAgainFrom(life))
  }
  const forget = (id: string): void => {
    lives.delete(id)
    looks.delete(id)
  }
  upcoming.observe((id, reservation, event) => {
    if (reservation === undefined || reservation.keepalive === 0) return forget(id)
    const { begins: began, keepalive } = reservation
    const made: Life = { keepalive, began, kept: 0, hasHeartbeats: false }
    if (event?.type === 'ReservationCreated') set(id, made)
    // Of those that were read ahead it is not known whether they were kept alive.
    else looks.set(id, keptAgainFrom(lives.get(id) ?? made))
  })
  const unwatch = views.watch((events) => {
    for (const { type, data, metadata } of events) {
      const life = type === 'ReservationKept' ? lives.get(data._id) : undefined
      if (life === undefined || type !== 'ReservationKept') continue
      const hasHeartbeats = life.hasHeartbeats || metadata.role !== 'system'
      set(data._id, { ...life, kept: epochMillisecondsOf(metadata.time), hasHeartbeats })
    }
  })
  return {
    get: (id: string): Life | undefined => lives.get(id),
    set,
    lookAt: looks.set,
    forget,
    /** So that it is found out again. */
    doubt: (id: string): void => void lives.delete(id),
    takeDue: looks.takeDue,
    close: unwatch,
  }
}

type Deadlines = ReturnType<typeof followDeadlines>

/** What is to be done about a reservation. If nothing, says when to look again. */
const makeJudge =
  ({ clock, unbroken, connections }: KeepaliveOptions, deadlines: Deadlines) =>
  ({ _id }: Upcoming): Act | undefined => {
    const life = deadlines.get(_id)
    if (life === undefined) return 'find out'
    if (connections(_id) > 0 && !life.hasHeartbeats) return 'keep'
    const now = clock.now()
    // Nobody could keep it alive while no instance was ready.
    const left = Math.max(aliveUntil(life) - now, aliveFor(life) - unbroken.lasting())
    if (left <= 0) return 'release'
    deadlines.lookAt(_id, now + Math.min(left, LOOK_INTERVAL_MS))
    return undefined
  }

/** Makes the function that does it. */
const makePerform = (options: KeepaliveOptions, deadlines: Deadlines) => {
  const { runner, clock, onError } = options
  const recordNow = makeRecordNow(options)
  const findOut = async (reservation: Upcoming): Promise<void> => {
    const held = await findHeldReservation(runner, reservation.sut_id, reservation._id)
    if (held === undefined || held === 'unavailable' || held.keepalive === 0) return
    deadlines.set(held._id, { ...lifeOf(held), hasHeartbeats: held.hasHeartbeats })
  }
  const act = async (reservation: Upcoming, what: Act): Promise<void> => {
    const { _id, sut_id, user_id } = reservation
    if (what === 'find out') return findOut(reservation)
    const keep = { type: 'KeepReservation', actor: GATEWAY, _id, user_id, documentStatus: 'made' } as const
    const release = { type: 'ReleaseUnattended', _id, cause: 'keepalive' } as const
    const [command, actor] = what === 'keep' ? [keep, GATEWAY] : [release]
    const ended = await recordNow(reservationDecider, sutStream(sut_id), command, actor)
    // Another instance may have been first.
    if (ended?.kind !== 'recorded') deadlines.doubt(_id)
  }
  return async ([reservation, what]: readonly [Upcoming, Act]): Promise<void> => {
    deadlines.lookAt(reservation._id, clock.now() + LOOK_INTERVAL_MS)
    await act(reservation, what).catch(onError)
  }
}

/**
 * Keeps reservations with `keepalive` alive while they have connections here, unless their holder has ever kept them
 * alive, and releases those that nobody keeps alive, until the signal aborts.
 */
export const runKeepalive = async (options: KeepaliveOptions): Promise<void> => {
  const { upcoming, clock } = options
  const deadlines = followDeadlines(options)
  const judge = makeJudge(options, deadlines)
  const perform = makePerform(options, deadlines)
  const runBatches = makeRunBatches(options.signal)
  const tick = async (): Promise<void> => {
    if (!clock.mayRecord()) return
    const now = clock.now()
    const acts: (readonly [Upcoming, Act])[] = []
    for (const id of deadlines.takeDue(now)) {
      const reservation = upcoming.get(id)
      if (reservation === undefined || reservation.ends <= now) {
        deadlines.forget(id)
        continue
      }
      const act = judge(reservation)
      if (act !== undefined) acts.push([reservation, act])
    }
    await runBatches(shuffled(acts), perform)
  }
  await runRepeatedly(options, tick)
  deadlines.close()
}

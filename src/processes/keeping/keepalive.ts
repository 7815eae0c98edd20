import type { Runner } from '../../commands/command-envelope.ts'
import { findHeldReservation } from '../../commands/find-held.ts'
import { keepaliveDue } from '../../domain/calendar/held.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
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

/** When reservations are released unless they are kept alive, and when to look at each next. */
const followDeadlines = ({ upcoming, views, clock }: Pick<KeepaliveOptions, 'upcoming' | 'views' | 'clock'>) => {
  /** Unix milliseconds, as far as they are known. Bounded by the upcoming reservations. */
  const deadlines = new Map<string, number>()
  const looks = makeDueTimes()

  /** Half of the time has passed then: nothing is to be done before. */
  const halfOf = (deadline: number, keepalive: number): number => deadline - keepalive * 500 + 1
  const set = ({ _id, keepalive }: Upcoming, deadline: number): void => {
    deadlines.set(_id, deadline)
    looks.set(_id, halfOf(deadline, keepalive))
  }
  const forget = (id: string): void => {
    deadlines.delete(id)
    looks.delete(id)
  }
  upcoming.observe((id, reservation, event) => {
    if (reservation === undefined || reservation.keepalive === 0) return forget(id)
    const { begins, keepalive } = reservation
    const first = begins + keepalive * 1000
    if (event?.type === 'ReservationCreated') set(reservation, first)
    // Of those that were read ahead it is not known whether they were kept alive.
    else looks.set(id, halfOf(deadlines.get(id) ?? first, keepalive))
  })
  /** What a wrong clock kept alive has another deadline now. */
  const findOutAgain = (sutId: string | undefined): void => {
    for (const { _id, sut_id, keepalive } of upcoming.all()) {
      if (sut_id !== sutId || keepalive === 0) continue
      deadlines.delete(_id)
      looks.set(_id, clock.now())
    }
  }
  const unwatch = views.watch((events) => {
    for (const { type, data, metadata } of events) {
      if (type === 'ClockCorrected') findOutAgain(data.sut_id)
      const kept = type === 'ReservationKept' ? upcoming.get(data._id) : undefined
      if (kept !== undefined) set(kept, epochMillisecondsOf(metadata.time) + kept.keepalive * 1000)
    }
  })
  return {
    get: (id: string): number | undefined => deadlines.get(id),
    set,
    lookAt: looks.set,
    forget,
    /** So that it is found out again. */
    doubt: (id: string): void => void deadlines.delete(id),
    takeDue: looks.takeDue,
    close: unwatch,
  }
}

type Deadlines = ReturnType<typeof followDeadlines>

/** What is to be done about a reservation. If nothing, says when to look again. */
const makeJudge =
  ({ clock, unbroken, connections }: KeepaliveOptions, deadlines: Deadlines) =>
  ({ _id, keepalive }: Upcoming): Act | undefined => {
    const deadline = deadlines.get(_id)
    if (deadline === undefined) return 'find out'
    if (connections(_id) > 0) return 'keep'
    const now = clock.now()
    // Nobody could keep it alive while no instance was ready.
    const left = Math.max(deadline - now, keepalive * 1000 - unbroken.lasting())
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
    const deadline = held === undefined || held === 'unavailable' ? undefined : keepaliveDue(held)
    if (deadline !== undefined) deadlines.set(reservation, deadline)
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
 * Keeps reservations with `keepalive` alive while they have connections here, and releases those that nobody keeps
 * alive, until the signal aborts.
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

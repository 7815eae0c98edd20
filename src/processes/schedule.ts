import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { SCHEDULE } from '../commands/begin-schedule.ts'
import type { Runner } from '../commands/order.ts'
import { reservationDecider } from '../domain/reservation/decide.ts'
import { sutStream } from '../domain/values/ids.ts'
import type { Views } from '../read-models/views.ts'
import type { ProcessClock } from './clock.ts'
import { followUnrecorded, type UnrecordedReservations } from './unrecorded.ts'
import type { UpcomingReservations } from './upcoming.ts'

export interface ScheduleOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'read' | 'watch'>
  readonly runner: Pick<Runner, 'run'>
  readonly clock: ProcessClock
  /** Since when starts and ends are recorded, in Unix milliseconds (see ScheduleBegan). */
  readonly from: number
  /** Whether commands are decided. */
  readonly isOpen: () => boolean
  readonly makeRequestId: () => string
  /** Called with each recorded start or end, and the milliseconds since it was due. */
  readonly onRecorded: (what: 'start' | 'end', lag: number) => void
  readonly onError: (error: unknown) => void
  /** Resolves when to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Commands at once, and milliseconds before the next ones. Ten thousand reservations can begin in the same second:
 * recorded at once, they would hold up every request for a second. More at once than this, or shorter pauses, and
 * requests take more than twice as long meanwhile.
 */
const AT_ONCE = 25
const NEXT_AFTER = 10
/** Milliseconds before a command is repeated that failed. */
const AGAIN_AFTER = 1_000
/** Seconds of ended reservations read at once in a catch-up, and how many times: older ones have left the state. */
const DAY = 86_400
const DAYS = 31

/** Random order: of several instances on one log, each finds most records already made by the others. */
const shuffled = (ids: readonly string[]): readonly string[] =>
  ids
    .map((id) => [Math.random(), id] as const)
    .sort(([a], [b]) => a - b)
    .map(([, id]) => id)

/** Calls for each id, a limited number at once. */
type Spread = (ids: readonly string[], one: (id: string) => Promise<void>) => Promise<void>

const makeSpread =
  ({ signal }: ScheduleOptions): Spread =>
  async (ids, one) => {
    for (let n = 0; n < ids.length; n += AT_ONCE) {
      if (n > 0) await delay(NEXT_AFTER, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      await Promise.all(ids.slice(n, n + AT_ONCE).map(one))
    }
  }

type Advance = (sut_id: string, id?: string) => Promise<boolean>

/**
 * Records what is due on a SUT, in order, up to the start or end of a reservation if one is given. Resolves to false if
 * it must be tried again.
 */
const makeAdvance =
  ({ runner, clock, from, makeRequestId, onRecorded }: ScheduleOptions): Advance =>
  async (sut_id, id) => {
    for (;;) {
      // Looked at before each record, and decided at that time: the clock may jump meanwhile.
      const at = clock.now()
      if (!clock.mayRecord()) return false
      const command = { type: 'AdvanceSchedule', sut_id, from } as const
      const order = { command, actor: SCHEDULE, requestId: makeRequestId(), at }
      const ended = await runner.run(reservationDecider, sutStream(sut_id), order)()
      if (E.isLeft(ended)) return false
      if (ended.right.kind !== 'recorded') return true
      for (const { type, data } of ended.right.events) {
        if (type !== 'ReservationStarted' && type !== 'ReservationEnded') continue
        onRecorded(type === 'ReservationStarted' ? 'start' : 'end', clock.now() - Date.parse(data.due))
        if (data._id === id) return true
      }
    }
  }

/** Records what is due of a reservation, and waits for what is next. */
const makeRecord =
  ({ clock, onError }: ScheduleOptions, unrecorded: UnrecordedReservations, advance: Advance) =>
  async (id: string): Promise<void> => {
    const due = unrecorded.get(id)
    if (due === undefined) return
    const isDone = await advance(due.sut_id, id).catch((error) => onError(error))
    const now = clock.now()
    const after = unrecorded.get(id)
    // Recorded by another instance, cancelled or released meanwhile.
    if (after === undefined) return
    if (!isDone) unrecorded.wait(id, now + AGAIN_AFTER, after)
    else if (after.ends > now) unrecorded.wait(id, after.ends, { ...after, hasStarted: true })
    else if (due.hasStarted) unrecorded.forget(id)
    else unrecorded.wait(id, now, { ...after, hasStarted: true })
  }

/** Records what became due while nothing was recorded. A SUT that cannot be recorded holds up no other. */
const makeCatchUp = ({ views, clock, from, onError }: ScheduleOptions, advance: Advance, spread: Spread) => {
  /** SUTs of which something is to be tried again. */
  const behind = new Set<string>()
  let triedAt = Number.NEGATIVE_INFINITY
  const record = async (sutId: string): Promise<void> => {
    const isDone = await advance(sutId).catch((error) => onError(error))
    if (isDone) behind.delete(sutId)
    else behind.add(sutId)
  }
  return {
    /** False if the views cannot be read. */
    all: async (): Promise<boolean> => {
      const to = Math.floor(clock.now() / 1000)
      for (let day = 0; day < DAYS && to - day * DAY > from / 1000; day++) {
        const span = { from: Math.max(to - (day + 1) * DAY, from / 1000 - 1), to: to - day * DAY }
        const found = await views.read('unrecorded', span)
        if (found === undefined) return false
        await spread(found.listed, record)
      }
      return true
    },
    again: async (): Promise<void> => {
      if (behind.size === 0 || Math.abs(clock.now() - triedAt) < AGAIN_AFTER) return
      triedAt = clock.now()
      await spread([...behind], record)
    },
  }
}

/** Records starts and ends of reservations when they are due, until the signal aborts. */
export const runSchedule = async (options: ScheduleOptions): Promise<void> => {
  const { upcoming, clock, isOpen, onError, wake, signal } = options
  const unrecorded = followUnrecorded(options)
  const advance = makeAdvance(options)
  const record = makeRecord(options, unrecorded, advance)
  const spread = makeSpread(options)
  const catchUp = makeCatchUp(options, advance, spread)
  let [mustCatchUp, completeSince] = [false, undefined as number | undefined]
  const look = async (): Promise<void> => {
    if (!isOpen() || !clock.mayRecord()) return
    if (upcoming.completeSince() !== completeSince || unrecorded.takeOverflow(clock.now())) mustCatchUp = true
    completeSince = upcoming.completeSince()
    await catchUp.again()
    if (mustCatchUp) mustCatchUp = !(await catchUp.all())
    await spread(shuffled(unrecorded.takeDue(clock.now())), record)
  }

  while (!signal.aborted) {
    await wake(signal)
    if (!signal.aborted) await look().catch(onError)
  }
  unrecorded.close()
}

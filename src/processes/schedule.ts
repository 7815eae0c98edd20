import { reservationDecider } from '../domain/reservation/decide.ts'
import { sutStream } from '../domain/values/ids.ts'
import type { Views } from '../read-models/views.ts'
import { makeDue } from './due.ts'
import {
  makeRecordNow,
  makeRunBatches,
  type RecordingOptions,
  type RunBatches,
  runRepeatedly,
  shuffled,
} from './process.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ScheduleOptions extends RecordingOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'read'>
  /** Starts and ends are recorded from this time on, in Unix milliseconds (see ScheduleBegan). */
  readonly from: number
  /** Whether the service accepts commands. */
  readonly isServing: () => boolean
  /** Called with each recorded start or end, and the milliseconds since it was due. */
  readonly onRecorded: (what: 'start' | 'end', lag: number) => void
}

/** Before a catch-up with failed records is repeated. */
const RETRY_DELAY_MS = 1_000
/** A catch-up reads ended reservations a day at a time, in seconds, for a month: older ones have left the state. */
const DAY = 86_400
const DAYS = 31

type Advance = (sut_id: string, id?: string) => Promise<boolean>

/**
 * Records what is due on a SUT, in order; if a reservation is given, only up to its start or end. Resolves to false if
 * it must be retried.
 */
const makeAdvance = (options: ScheduleOptions): Advance => {
  const { clock, from, onRecorded } = options
  const recordNow = makeRecordNow(options)
  return async (sut_id, id) => {
    for (;;) {
      const command = { type: 'AdvanceSchedule', sut_id, from } as const
      const ended = await recordNow(reservationDecider, sutStream(sut_id), command)
      if (ended === undefined) return false
      if (ended.kind !== 'recorded') return true
      for (const { type, data } of ended.events) {
        if (type !== 'ReservationStarted' && type !== 'ReservationEnded') continue
        onRecorded(type === 'ReservationStarted' ? 'start' : 'end', clock.now() - Date.parse(data.due))
        if (data._id === id) return true
      }
    }
  }
}

/** When the next of its start and its end is to be recorded. */
const dueOf = ({ recorded, begins, ends }: Upcoming): number | undefined => {
  if (recorded === 'nothing') return begins
  return recorded === 'start' ? ends : undefined
}

/** Records the start or end of a reservation that is due. If that fails, it is due again at the next look. */
const makeRecord =
  ({ upcoming, clock, onError }: ScheduleOptions, advance: Advance, onChanged: (reservation: Upcoming) => void) =>
  async ({ _id, sut_id, recorded: before }: Upcoming): Promise<void> => {
    const isDone = await advance(sut_id, _id).catch((error) => onError(error))
    const after = upcoming.get(_id)
    // Recorded by another instance, cancelled, released or extended meanwhile.
    if (!isDone || after === undefined || after.recorded !== before) return
    if (before === 'start' && after.ends > clock.now()) return
    // Also where nothing was recorded: it began before the schedule did, or another instance was first.
    const next = upcoming.setRecorded(_id, before === 'nothing' ? 'start' : 'end')
    if (next !== undefined) onChanged(next)
  }

/**
 * Makes the function that records what became due while nothing was recorded. A SUT whose records fail holds up no other.
 * Resolves to false if it must be repeated: the views cannot be read, or records have failed a moment ago.
 */
const makeCatchUp = ({ views, clock, from, onError }: ScheduleOptions, advance: Advance, runBatches: RunBatches) => {
  let failedAt = Number.NEGATIVE_INFINITY
  const record = async (sutId: string): Promise<void> => {
    if (!(await advance(sutId).catch((error) => onError(error)))) failedAt = clock.now()
  }
  return async (): Promise<boolean> => {
    const began = clock.now()
    if (Math.abs(began - failedAt) < RETRY_DELAY_MS) return false
    failedAt = Number.NEGATIVE_INFINITY
    const to = Math.floor(began / 1000)
    for (let day = 0; day < DAYS && to - day * DAY > from / 1000; day++) {
      const span = { from: Math.max(to - (day + 1) * DAY, from / 1000 - 1), to: to - day * DAY }
      const found = await views.read('unrecorded', span)
      if (found === undefined) return false
      await runBatches(found.listed, record)
    }
    return failedAt === Number.NEGATIVE_INFINITY
  }
}

/** Records starts and ends of reservations when they are due, until the signal aborts. */
export const runSchedule = async (options: ScheduleOptions): Promise<void> => {
  const { upcoming, clock, isServing } = options
  const due = makeDue(upcoming.all, dueOf)
  upcoming.observe((_, reservation) => reservation && due.changed(reservation))
  const advance = makeAdvance(options)
  const record = makeRecord(options, advance, due.changed)
  const runBatches = makeRunBatches(options.signal)
  const catchUp = makeCatchUp(options, advance, runBatches)
  let [mustCatchUp, completeSince] = [false, undefined as number | undefined]
  await runRepeatedly(options, async () => {
    if (!isServing() || !clock.mayRecord()) return
    if (upcoming.completeSince() !== completeSince) mustCatchUp = true
    completeSince = upcoming.completeSince()
    if (mustCatchUp) mustCatchUp = !(await catchUp())
    await runBatches(shuffled(due.find(clock.now())), record)
  })
}

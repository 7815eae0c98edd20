import { reservationDecider } from '../domain/reservation/decide.ts'
import { sutStream } from '../domain/values/ids.ts'
import type { Views } from '../read-models/views.ts'
import type { Timed } from './loop.ts'
import { type BatchOptions, makeRecordNow, type RecordingOptions, runBatches } from './process.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ScheduleOptions extends RecordingOptions, BatchOptions {
  readonly upcoming: Pick<UpcomingReservations, 'all'>
  readonly views: Pick<Views, 'read'>
  readonly isServing: () => boolean
  /** Called with each recorded start or end, and the milliseconds since it was due. */
  readonly onRecorded: (what: 'start' | 'end', lag: number) => void
}

/** What a service that was down has missed is read a day at a time, in seconds, for a month: older ones have left the state. */
const DAY = 86_400
const DAYS = 31

/** Makes the function that records everything that is due on a SUT, in order. False if that must be repeated. */
const makeAdvance = (options: ScheduleOptions) => {
  const { clock, onRecorded } = options
  const recordNow = makeRecordNow(options)
  return async (sut_id: string): Promise<boolean> => {
    for (;;) {
      const command = { type: 'AdvanceSchedule', sut_id } as const
      const outcome = await recordNow(reservationDecider, sutStream(sut_id), command)
      if (outcome === undefined) return false
      if (outcome.kind !== 'recorded') return true
      for (const { type, data } of outcome.events) {
        if (type === 'ReservationStarted') onRecorded('start', clock.now() - Date.parse(data.due))
        if (type === 'ReservationEnded') onRecorded('end', clock.now() - Date.parse(data.due))
      }
    }
  }
}

/** Records starts and ends of reservations when they are due. */
export const makeSchedule = (options: ScheduleOptions): Timed => {
  const { upcoming, views, clock, isServing } = options
  const advance = makeAdvance(options)

  /** Records the ends that were due while the service was down. Those of the last minute are among the upcoming. */
  const catchUp = async (): Promise<boolean> => {
    let isDone = true
    const to = Math.floor(clock.now() / 1000)
    for (let day = 0; day < DAYS; day++) {
      const unrecorded = await views.read('unrecorded', { from: to - (day + 1) * DAY, to: to - day * DAY })
      if (unrecorded === undefined) return false
      if (!(await runBatches(unrecorded.listed, advance, options))) isDone = false
    }
    return isDone
  }

  const isDue = ({ recorded, begins, ends }: Upcoming): boolean =>
    recorded === 'nothing' ? begins <= clock.now() : recorded === 'start' && ends <= clock.now()

  let isCaughtUp = false
  return {
    failure: 'starts and ends were not recorded; retrying',
    tick: async () => {
      if (!isServing() || !clock.mayRecord()) return
      if (!isCaughtUp) isCaughtUp = await catchUp()
      const due = [...upcoming.all()].filter(isDue)
      // A SUT whose records fail holds up no other, and is due again at the next look.
      await runBatches([...new Set(due.map(({ sut_id }) => sut_id))], advance, options)
    },
  }
}

import type { DataOf, Recorded } from '../../domain/event.ts'
import { millisecondsIn } from '../state/moments.ts'
import type { Report } from '../state/state.ts'

/** What the log says of the schedule. */
export interface Schedule {
  /** Unix milliseconds: starts and ends due before are not recorded; undefined before ScheduleBegan. */
  from: number | undefined
}

const judgeScheduleBegan = (
  schedule: Schedule,
  { from }: DataOf<'ScheduleBegan'>,
  time: number,
  report: Report,
): void => {
  if (schedule.from !== undefined) report('begins a schedule that has already begun')
  if (millisecondsIn(from) !== time) report('begins the schedule at another time than its own')
  schedule.from ??= millisecondsIn(from)
}

/** Checks when a schedule begins, and that nothing comes of it before. */
export const judgeSchedule = (schedule: Schedule, { type, data }: Recorded, time: number, report: Report): void => {
  if (type === 'ScheduleBegan') judgeScheduleBegan(schedule, data, time, report)
  else if ((type === 'ReservationStarted' || type === 'ReservationEnded') && schedule.from === undefined)
    report('comes before the schedule began')
}

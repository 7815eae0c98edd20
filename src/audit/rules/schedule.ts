import type { DataOf, Event } from '../../domain/event.ts'
import { addEnded, findPlace } from '../state/calendar.ts'
import { millisecondsIn } from '../state/moments.ts'
import { type AuditedReservation, type AuditedSut, beginningOf, type Report } from '../state/state.ts'

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

const judgeDue = ({ from }: Schedule, expected: number, due: string, time: number, report: Report): void => {
  if (millisecondsIn(due) !== expected)
    report(`names ${due} as when it was due, not ${new Date(expected).toISOString()}`)
  if (from === undefined) report('comes before the schedule began')
  else if (expected < from) report('was due before the schedule began')
  if (time < expected) report('was recorded before it was due')
}

/** Starts and ends are recorded in order, so what ended before is not awaited any more. */
const dropBefore = (sut: AuditedSut, { start }: AuditedReservation): void => {
  sut.windows = sut.windows.filter((held) => held.end > start)
}

const judgeStarted = (
  sut: AuditedSut,
  data: DataOf<'ReservationStarted'>,
  time: number,
  schedule: Schedule,
  report: Report,
): void => {
  const held = sut.windows[findPlace(sut, data, report)]
  if (held === undefined) return
  if (held.hasStarted) report(`starts the reservation ${data._id} a second time`)
  judgeDue(schedule, beginningOf(held), data.due, time, report)
  held.hasStarted = true
  dropBefore(sut, held)
}

const judgeEnded = (
  sut: AuditedSut,
  data: DataOf<'ReservationEnded'>,
  time: number,
  schedule: Schedule,
  report: Report,
): void => {
  const held = sut.windows[findPlace(sut, data, report)]
  if (held === undefined) return
  if (!held.hasStarted && schedule.from !== undefined && beginningOf(held) >= schedule.from) {
    report(`ends the reservation ${data._id}, whose start was not recorded`)
  }
  judgeDue(schedule, held.end * 1_000, data.due, time, report)
  dropBefore(sut, held)
  sut.windows.splice(sut.windows.indexOf(held), 1)
  addEnded(sut, held)
}

type ScheduleEvent = Extract<Event, { readonly type: 'ReservationStarted' | 'ReservationEnded' | 'ScheduleBegan' }>

/** Checks an event of the schedule and applies it. */
export const judgeScheduled = (
  sut: AuditedSut,
  event: ScheduleEvent,
  time: number,
  schedule: Schedule,
  report: Report,
): void => {
  if (event.type === 'ReservationStarted') judgeStarted(sut, event.data, time, schedule, report)
  else if (event.type === 'ReservationEnded') judgeEnded(sut, event.data, time, schedule, report)
  else judgeScheduleBegan(schedule, event.data, time, report)
}

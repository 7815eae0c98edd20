import type { Booked } from '../../../src/web/features/schedule/calendar.ts'

export const MINUTE = 60_000

/** A time of one day, in the zone in which the tests run, in Unix milliseconds. */
export const time = (clock: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number)
  return new Date(2030, 4, 2, hours, minutes, seconds).getTime()
}

export const booked = (_id: string, from: string, to: string, userId = 'other'): Booked => ({
  ...{ _id, userId },
  from: time(from),
  to: time(to),
  ends: time(to),
})

import test from 'ava'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { formatWeek, startOfWeek, weekOf } from '../../../src/domain/calendar/week.ts'

const weekAt = (time: string): string => formatWeek(weekOf(Date.parse(time) / 1000))

const weeks: readonly (readonly [time: string, week: string])[] = [
  ['2030-05-05T23:59:59Z', '2030-W18'],
  ['2030-05-06T00:00:00Z', '2030-W19'],
  ['2027-01-03T23:59:59Z', '2026-W53'],
  ['2027-01-04T00:00:00Z', '2027-W01'],
  ['2024-12-30T00:00:00Z', '2025-W01'],
  ['1970-01-01T00:00:00Z', '1970-W01'],
]
for (const [time, week] of weeks) {
  test(`${time} is in the week ${week}`, (t) => {
    t.is(weekAt(time), week)
  })
}

test('property: weeks are those of ISO 8601, and each begins where the one before ends', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000_000, max: 16_000_000_000 }), (second) => {
      const date = Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO('UTC')
      const [year, number] = [date.yearOfWeek ?? 0, date.weekOfYear ?? 0]
      const week = weekOf(second)
      t.is(formatWeek(week), `${String(year).padStart(4, '0')}-W${String(number).padStart(2, '0')}`)
      t.true(startOfWeek(week) <= second && second < startOfWeek(week + 1))
    }),
  )
})

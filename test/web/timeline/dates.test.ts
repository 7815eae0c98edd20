import test from 'ava'
import {
  formatCount,
  formatDates,
  formatDuration,
  formatHours,
  formatRange,
  formatWhen,
  HOUR,
  MINUTE,
} from '../../../src/web/format/format.ts'

const day = (month: number, date: number): number => new Date(2026, month - 1, date).getTime()

test('the dates of a week name its month once, or both where it has two', (t) => {
  t.is(formatDates(day(11, 23), day(11, 29)), '23 – 29 November')
  t.is(formatDates(day(11, 30), day(12, 6)), '30 November – 6 December')
  t.is(formatDates(day(12, 28), day(13, 3)), '28 December – 3 January')
})

test('a time has its day where that is another one, and its date where the weekday would not say which', (t) => {
  const at = (date: number): number => day(11, date) + 15 * HOUR + 30 * MINUTE
  const now = at(27)
  t.deepEqual(
    [27, 28, 21, 33, 34, 20].map((date) => formatWhen(at(date), now)),
    ['15:30', 'Sat 15:30', 'Sat 15:30', 'Thu 15:30', 'Fri 4 Dec 15:30', 'Fri 20 Nov 15:30'],
  )
  t.is(formatRange(at(27), day(11, 28)), '15:30–00:00')
  t.is(formatRange(at(27), at(30)), 'Fri 15:30–Mon 15:30')
  t.is(formatRange(at(27), at(34)), 'Fri 15:30–Fri 4 Dec 15:30')
})

test('a length has days where it is longer than one', (t) => {
  const hours = [0, 0.75, 1.5, 24, 24.25, 37, 72, 72.25]
  t.deepEqual(
    hours.map((each) => formatDuration(each * HOUR)),
    ['0 m', '45 m', '1 h 30 m', '24 h', '1 d 15 m', '1 d 13 h', '3 d', '3 d 15 m'],
  )
  t.is(formatHours(1_112.75), '1,112 h 45 m')
})

test('a count has thousands and the right plural', (t) => {
  t.deepEqual(
    [0, 1, 1_000].map((count) => formatCount(count, 'machine')),
    ['0 machines', '1 machine', '1,000 machines'],
  )
})

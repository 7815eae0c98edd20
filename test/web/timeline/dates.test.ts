import test from 'ava'
import { datesOf } from '../../../src/web/timeline/times.ts'

const day = (month: number, date: number): number => new Date(2026, month - 1, date).getTime()

test('the dates of a week name its month once, or both where it has two', (t) => {
  t.is(datesOf(day(11, 23), day(11, 29)), '23 – 29 November')
  t.is(datesOf(day(11, 30), day(12, 6)), '30 November – 6 December')
  t.is(datesOf(day(12, 28), day(13, 3)), '28 December – 3 January')
})

/** The lab as it was, without a browser. */

import test from 'ava'
import { formatMoment } from '../../../src/web/format/format.ts'
import { parseDay, parsePast } from '../../../src/web/format/parse.ts'
import { asOfText, asOfTime, isBy, pathAsOf } from '../../../src/web/page/as-of.ts'

const TIME = new Date(2026, 10, 24, 18, 0, 5).getTime()

test('machines and reservations are read as of the moment, all else as it is', (t) => {
  const entry = { value: '48231', time: TIME }
  t.is(pathAsOf('/api/sut', entry), '/api/sut?as_of=48231')
  t.is(pathAsOf('/api/sut?limit=10', entry), '/api/sut?limit=10&as_of=48231')
  t.is(pathAsOf('/api/sut_reservation?from=a', entry), '/api/sut_reservation?from=a&as_of=48231')
  t.is(pathAsOf('/api/sut/abc', asOfTime(0)), '/api/sut/abc?as_of=1970-01-01T00%3A00%3A00.000Z')
  // Settings are known only as they are now.
  t.is(pathAsOf('/api/sut/abc?include=settings', entry), '/api/sut/abc?as_of=48231')
  t.is(pathAsOf('/api/sut?include=settings&limit=10', entry), '/api/sut?limit=10&as_of=48231')
  for (const path of [
    '/api/sut/abc/history',
    '/api/sut/abc/outages?from=a',
    '/api/user',
    '/api/outages',
    '/api/report/usage',
  ])
    t.is(pathAsOf(path, entry), path)
})

test('a moment is told to the second, with the entry if it is one', (t) => {
  t.is(asOfText(asOfTime(TIME)), 'Tue 24 Nov 2026, 18:00:05')
  t.is(asOfText({ value: '48231', time: TIME }), 'Tue 24 Nov 2026, 18:00:05, after entry 48,231')
})

test('of a history is shown what was recorded by then', (t) => {
  const entry = (sequence: string, time: number) => ({ sequence, time: new Date(time).toISOString() })
  // A clock may have been wrong: the entry counts.
  t.true(isBy({ value: '00000000000000000100', time: TIME }, entry('00000000000000000100', TIME + 1)))
  t.false(isBy({ value: '100', time: TIME }, entry('00000000000000000101', TIME)))
  t.true(isBy(asOfTime(TIME), entry('00000000000000000101', TIME)))
  t.false(isBy(asOfTime(TIME), entry('00000000000000000101', TIME + 1)))
})

test('a past time or day that is typed is the last such one, or of the year that is given', (t) => {
  t.is(parsePast(formatMoment(TIME), TIME), TIME)
  // A Tuesday.
  const at = (date: number, hours: number, minutes = 0, year = 2026): number =>
    new Date(year, 10, date, hours, minutes).getTime()
  const meant: readonly (readonly [string, number | undefined])[] = [
    ['17:59', at(24, 17, 59)],
    ['18:01', at(23, 18, 1)],
    ['Tue 17', at(24, 17)],
    ['Tue 19', at(17, 19)],
    ['30 Nov 10:15', at(30, 10, 15, 2025)],
    ['Fri 24 Nov 2023 9:30', at(24, 9, 30, 2023)],
    ...['30 Nov 2026 10:15', '31 Nov 9', 'noon', ''].map((text) => [text, undefined] as const),
  ]
  for (const [text, time] of meant) t.is(parsePast(text, TIME), time, text)
  t.is(parseDay('Tue', TIME, -1), at(24, 0))
  t.is(parseDay('Mon', TIME, 1), at(30, 0))
  t.is(parseDay('30 Nov', TIME, -1), at(30, 0, 0, 2025))
  t.deepEqual([parseDay('30 Foo', TIME, 1), parseDay('', TIME, 1)], [undefined, undefined])
})

import test from 'ava'
import { fromLocal, toLocal } from '../../../src/web/features/past/local.ts'
import { asOfText, asOfTime, isBy, pathAsOf } from '../../../src/web/page/as-of.ts'

/** The lab as it was, without a browser. */

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
  for (const path of ['/api/sut/abc/history', '/api/sut/abc/outages?from=a', '/api/user', '/api/outages'])
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

test('what is typed as a time is one of the browser, or none', (t) => {
  t.is(toLocal(TIME), '2026-11-24T18:00:05')
  t.is(fromLocal(toLocal(TIME)), TIME)
  t.is(fromLocal('2026-11-24T18:00'), TIME - 5_000)
  t.is(fromLocal(''), undefined)
  t.is(fromLocal('2026-13-40T18:00'), undefined)
})

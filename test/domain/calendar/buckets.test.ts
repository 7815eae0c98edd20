import test from 'ava'
import { addDays, type BucketSize, bucketsOf } from '../../../src/domain/calendar/buckets.ts'

const names = (from: string, to: string, size: BucketSize, timeZone: string) =>
  bucketsOf({ from: Date.parse(from), to: Date.parse(to), timeZone }, size).map(({ name }) => name)

test('days begin at midnight of the zone, also those of 23 and 25 hours', (t) => {
  t.deepEqual(names('2030-03-30T12:00:00Z', '2030-04-01T00:00:00Z', 'day', 'Europe/Berlin'), [
    ...['2030-03-30T00:00:00+01:00', '2030-03-31T00:00:00+01:00', '2030-04-01T00:00:00+02:00'],
  ])
  t.deepEqual(names('2030-10-26T22:00:00Z', '2030-10-28T00:00:00Z', 'day', 'Europe/Berlin'), [
    ...['2030-10-27T00:00:00+02:00', '2030-10-28T00:00:00+01:00'],
  ])
  const clocksMidnight = ['2018-11-03T00:00:00-03:00', '2018-11-04T01:00:00-02:00', '2018-11-05T00:00:00-02:00']
  t.deepEqual(names('2018-11-03T12:00:00Z', '2018-11-05T12:00:00Z', 'day', 'America/Sao_Paulo'), clocksMidnight)
})

test('weeks begin on Monday, and months on their first day', (t) => {
  t.deepEqual(names('2030-05-05T22:30:00Z', '2030-05-13T00:00:00Z', 'week', 'UTC'), [
    ...['2030-04-29T00:00:00+00:00', '2030-05-06T00:00:00+00:00'],
  ])
  t.deepEqual(names('2030-05-05T22:30:00Z', '2030-05-06T00:00:00Z', 'week', 'Asia/Kolkata'), [
    '2030-05-06T00:00:00+05:30',
  ])
  t.deepEqual(names('2029-12-31T23:30:00Z', '2030-02-01T00:00:00Z', 'month', 'Europe/Berlin'), [
    ...['2030-01-01T00:00:00+01:00', '2030-02-01T00:00:00+01:00'],
  ])
})

test('hours follow the wall clock: an hour that is repeated has two buckets, one that is skipped none', (t) => {
  t.deepEqual(names('2030-10-26T23:59:00Z', '2030-10-27T02:00:00Z', 'hour', 'Europe/Berlin'), [
    ...['2030-10-27T01:00:00+02:00', '2030-10-27T02:00:00+02:00', '2030-10-27T02:00:00+01:00'],
  ])
  t.deepEqual(names('2030-03-31T00:00:00Z', '2030-03-31T02:00:00Z', 'hour', 'Europe/Berlin'), [
    ...['2030-03-31T01:00:00+01:00', '2030-03-31T03:00:00+02:00'],
  ])
  t.deepEqual(names('2030-05-02T06:00:00Z', '2030-05-02T07:30:00Z', 'hour', 'Asia/Kolkata'), [
    ...['2030-05-02T11:00:00+05:30', '2030-05-02T12:00:00+05:30'],
  ])
})

test('an hour that a change of the clock cuts begins again with the change', (t) => {
  // At 02:00 it becomes 01:30.
  const expected = ['2030-04-07T01:00:00+11:00', '2030-04-07T01:30:00+10:30', '2030-04-07T02:00:00+10:30']
  const [from, to] = ['2030-04-06T14:10:00Z', '2030-04-06T16:00:00Z']
  t.deepEqual(names(from, to, 'hour', 'Australia/Lord_Howe'), expected)
  t.deepEqual(names('2030-04-06T15:10:00Z', to, 'hour', 'Australia/Lord_Howe'), expected.slice(1))
})

test('a span of days is as long as the clock of the zone makes it', (t) => {
  const from = Date.parse('2030-03-30T23:00:00Z')
  t.is(addDays(from, 1, 'Europe/Berlin') - from, 23 * 3_600_000)
  t.is(addDays(from, 1, 'UTC') - from, 24 * 3_600_000)
})

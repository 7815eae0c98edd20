import { execFileSync } from 'node:child_process'
import test from 'ava'
import { findSeriesWindows } from '../../../src/domain/series/windows.ts'
import { instantAt } from '../../../src/domain/values/instant.ts'
import { takenBy } from '../../../src/web/features/schedule/calendar.ts'
import { occurrencesOf, ruleText, timesUntil, weekly } from '../../../src/web/features/series/dates.ts'
import { booked, time } from './times.ts'

const MODULE = import.meta.resolve('../../../src/web/features/series/dates.ts')
const WEEK = 7 * 86_400_000

type Ends = readonly [start: string, end: string]

/** The dates that a browser in a zone shows after some first windows. */
const shownIn = (zone: string, firsts: readonly Ends[], times: number): readonly unknown[] => {
  const windows = firsts.map(([start, end]) => ({ from: Date.parse(start), to: Date.parse(end) }))
  const code = `import { weekly } from ${JSON.stringify(MODULE)}
    console.log(JSON.stringify(${JSON.stringify(windows)}.map((first) => weekly(first, ${times}))))`
  const env = { ...process.env, TZ: zone }
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' }))
}

test('the dates of a weekly series are those that the service reserves, over changes of the clock too', (t) => {
  // Into and out of summer time, and through the hours that are skipped and come twice.
  const zones: Readonly<Record<string, readonly Ends[]>> = {
    'Europe/Berlin': [
      ['2026-03-08T09:00:00Z', '2026-03-08T11:00:00Z'],
      ['2026-03-15T01:30:00Z', '2026-03-15T02:00:00Z'],
      ['2026-03-15T00:30:00Z', '2026-03-15T01:30:00Z'],
      ['2026-10-11T00:30:00Z', '2026-10-11T01:15:00Z'],
    ],
    'Australia/Lord_Howe': [['2026-09-19T15:45:00Z', '2026-09-19T16:15:00Z']],
  }
  const rule = { parts: 'FREQ=WEEKLY', count: 6, until: undefined }
  const timeAt = (time: string) => ({ instant: instantAt(Date.parse(time)), offset: 0 })
  for (const [timeZone, firsts] of Object.entries(zones)) {
    const reserved = firsts.map(([start, end]) => {
      const { windows } = findSeriesWindows({
        rule,
        first: { start: timeAt(start), end: timeAt(end), timeZone },
        horizon: Date.parse(start) + 20 * WEEK,
      })
      return windows.map((window) => ({ from: window.start.seconds * 1_000, to: window.end.seconds * 1_000 }))
    })
    t.deepEqual(shownIn(timeZone, firsts, 6), reserved, timeZone)
  }
})

test('a last day and a number of dates say the same', (t) => {
  const first = { from: time('09:00'), to: time('11:00') }
  for (const times of [2, 3, 52]) t.is(timesUntil(first, weekly(first, times).at(-1)?.from ?? 0), times)
  t.is(timesUntil(first, first.from), 2, 'at least two')
  t.is(timesUntil(first, first.from + 100 * WEEK), 52, 'a year at most')
})

test('each date names what is in its way, by time or by turnaround', (t) => {
  const first = { from: time('10:00'), to: time('11:00') }
  const takenIn = (turnaround: number) =>
    occurrencesOf(weekly(first, 2), takenBy([booked('a', '11:00', '12:00')], turnaround)).map(
      ({ taken }) => taken?.held._id,
    )
  t.deepEqual(takenIn(0), [undefined, undefined])
  t.deepEqual(takenIn(900_000), ['a', undefined])
})

test('a rule is said in words where it has some', (t) => {
  const thursday = time('09:00')
  const rows = {
    'FREQ=WEEKLY;COUNT=8': 'every Thursday',
    'freq=daily': 'every day',
    'FREQ=MONTHLY;UNTIL=20301231T000000Z': 'every month',
    'FREQ=WEEKLY;INTERVAL=2': 'every 2 weeks',
    'FREQ=WEEKLY;BYDAY=MO,WE,FR': 'every Monday, Wednesday and Friday',
    'FREQ=DAILY;BYDAY=SU': 'every Sunday',
    'FREQ=MONTHLY;BYDAY=-1FR': 'repeats',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO': 'repeats',
    'FREQ=DAILY;BYHOUR=8,10': 'repeats',
    '': 'repeats',
  }
  t.deepEqual(
    Object.keys(rows).map((rule) => ruleText(rule, thursday)),
    Object.values(rows),
  )
})

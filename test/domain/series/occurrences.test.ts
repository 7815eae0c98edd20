import test from 'ava'
import { compareEverywhere } from './compare.ts'
import { RULES } from './rules.ts'
import { findOccurrences } from './series.ts'

const moment = (text: string): number => Date.parse(text)
const iso = (at: number): string => new Date(at).toISOString().slice(0, 16)

const occurrences = (rule: string, timeZone: string, start: string, horizon = '2040-01-01T00:00:00Z') => {
  const found = findOccurrences(rule, timeZone, moment(start), moment(horizon))
  return { ...found, starts: found.starts.map(iso) }
}

test('thirty rules occur in 20 zones when another library says', (t) => {
  const some = RULES.filter((rule) => !rule.includes('BYSETPOS'))
    .filter((_, n) => n % 9 === 4)
    .slice(0, 30)
  const compared = some.map((rule) => compareEverywhere(rule, '2026-01-03T02:30:00'))
  t.is(some.length, 30)
  t.true(compared.every((count) => count > 0))
})

// Each row: a zone, a rule, the start, and by hand the wall clocks around a change as UTC.
const changes: readonly (readonly [zone: string, rule: string, start: string, expected: readonly string[]])[] = [
  // Spring: 02:00 becomes 03:00 on 29 March. 02:30 does not exist, and does not count.
  [
    'Europe/Berlin',
    'FREQ=DAILY;COUNT=3',
    '2026-03-28T01:30Z',
    ['2026-03-28T01:30', '2026-03-30T00:30', '2026-03-31T00:30'],
  ],
  // Autumn: 03:00 becomes 02:00 on 25 October. Of the two 02:30, the first.
  [
    'Europe/Berlin',
    'FREQ=DAILY;COUNT=3',
    '2026-10-24T00:30Z',
    ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  // 03:00 exists again.
  ['Europe/Berlin', 'FREQ=DAILY;COUNT=2', '2026-03-28T02:00Z', ['2026-03-28T02:00', '2026-03-29T01:00']],
  [
    'America/New_York',
    'FREQ=WEEKLY;COUNT=3',
    '2026-03-01T14:00Z',
    ['2026-03-01T14:00', '2026-03-08T13:00', '2026-03-15T13:00'],
  ],
  // The clock moves by half an hour: at 02:00 to 02:30 on 4 October, back at 02:00 on 5 April.
  [
    'Australia/Lord_Howe',
    'FREQ=DAILY;COUNT=3',
    '2026-10-02T15:45Z',
    ['2026-10-02T15:45', '2026-10-04T15:15', '2026-10-05T15:15'],
  ],
  ['Australia/Lord_Howe', 'FREQ=DAILY;COUNT=2', '2026-04-03T14:45Z', ['2026-04-03T14:45', '2026-04-04T14:45']],
  // Back from +01:00 to +00:00 for Ramadan: at 03:00 on 15 February to 02:00, and at 02:00 on 22 March to 03:00.
  [
    'Africa/Casablanca',
    'FREQ=WEEKLY;COUNT=3',
    '2026-02-08T08:00Z',
    ['2026-02-08T08:00', '2026-02-15T09:00', '2026-02-22T09:00'],
  ],
  [
    'Africa/Casablanca',
    'FREQ=DAILY;COUNT=3',
    '2026-03-21T02:30Z',
    ['2026-03-21T02:30', '2026-03-23T01:30', '2026-03-24T01:30'],
  ],
  // Newfoundland is at -03:30, and -02:30 in summer.
  ['America/St_Johns', 'FREQ=DAILY;COUNT=2', '2026-03-07T15:30Z', ['2026-03-07T15:30', '2026-03-08T14:30']],
  // Clocks that do not change.
  [
    'Asia/Kathmandu',
    'FREQ=MONTHLY;COUNT=3',
    '2026-01-31T03:15Z',
    ['2026-01-31T03:15', '2026-03-31T03:15', '2026-05-31T03:15'],
  ],
  ['Pacific/Apia', 'FREQ=WEEKLY;COUNT=2', '2026-03-30T20:00Z', ['2026-03-30T20:00', '2026-04-06T20:00']],
  // Midnight does not exist on 6 September.
  ['America/Santiago', 'FREQ=DAILY;COUNT=2', '2026-09-05T04:15Z', ['2026-09-05T04:15', '2026-09-07T03:15']],
]

test('the wall clock is kept at each change of the clocks', (t) => {
  for (const [zone, rule, start, expected] of changes) {
    t.deepEqual(occurrences(rule, zone, start), { starts: [...expected], more: 'none' }, `${zone} ${rule} ${start}`)
  }
})

test('what the clock skips is left out before a position is taken', (t) => {
  const { starts } = occurrences('FREQ=DAILY;BYHOUR=2,3;BYSETPOS=1;COUNT=3', 'Europe/Berlin', '2026-03-28T01:00Z')
  t.deepEqual(starts, ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00'])
})

test('UNTIL is a moment and may be that of the last occurrence', (t) => {
  const upTo = (until: string) =>
    occurrences(`FREQ=DAILY;UNTIL=${until}`, 'Asia/Tokyo', '2030-05-01T00:00Z').starts.length
  t.deepEqual(['20300503T000000Z', '20300502T235959Z', '20300430T000000Z'].map(upTo), [3, 2, 0])
})

test('a start that is no occurrence is not the first one', (t) => {
  t.is(occurrences('FREQ=WEEKLY;BYDAY=TU;COUNT=2', 'UTC', '2030-05-02T06:00Z').starts[0], '2030-05-07T06:00')
  // The second of two moments with one wall clock time.
  t.is(occurrences('FREQ=DAILY;COUNT=2', 'Europe/Berlin', '2026-10-25T01:30Z').starts[0], '2026-10-25T00:30')
})

test('a rule ends at the horizon and at 366 occurrences', (t) => {
  const short = '2031-05-01T00:00Z'
  const rows: readonly (readonly [rule: string, horizon: string, count: number, more: string])[] = [
    ['FREQ=DAILY', '2030-05-03T12:00Z', 2, 'beyond'],
    ['FREQ=DAILY;COUNT=3', '2030-05-03T12:00Z', 2, 'beyond'],
    ['FREQ=DAILY;COUNT=2', '2030-05-03T12:00Z', 2, 'none'],
    ['FREQ=DAILY;UNTIL=20300504T060000Z', '2030-05-03T12:00Z', 2, 'beyond'],
    // No occurrence between the horizon and the end.
    ['FREQ=DAILY;UNTIL=20300504T050000Z', '2030-05-03T12:00Z', 2, 'none'],
    ['FREQ=DAILY', '2040-01-01T00:00Z', 366, 'within'],
    ['FREQ=DAILY;UNTIL=20400101T000000Z', '2040-01-01T00:00Z', 366, 'within'],
    ['FREQ=YEARLY;INTERVAL=10000', short, 1, 'beyond'],
    ['FREQ=YEARLY;INTERVAL=10000;UNTIL=99991231T000000Z', short, 1, 'none'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', short, 0, 'beyond'],
  ]
  for (const [rule, horizon, count, more] of rows) {
    const found = occurrences(rule, 'Europe/Berlin', '2030-05-02T06:00Z', horizon)
    t.deepEqual([found.starts.length, found.more], [count, more], `${rule} to ${horizon}`)
  }
})

test('no more than 10,000 candidates are looked at', (t) => {
  const upTo = (last: number): string => Array.from({ length: last + 1 }, (_, n) => n).join(',')
  const rule = `FREQ=DAILY;BYHOUR=${upTo(23)};BYMINUTE=${upTo(59)};BYSECOND=${upTo(59)};BYSETPOS=-1`
  const { starts, more } = occurrences(rule, 'Europe/Berlin', '2030-05-02T21:59:59Z', '2031-05-01T00:00Z')
  t.is(more, 'unknown')
  t.true(starts.length > 1)
})

import test from 'ava'
import fc from 'fast-check'
import { BUCKET_SIZES } from '../../../src/domain/calendar/buckets.ts'
import type { ReportBy, ReportColumns } from '../../../src/read-models/reports/cells.ts'
import { USAGE_FIGURES, type UsageReportQuery } from '../../../src/read-models/reports/usage.ts'
import { rounds } from '../../thorough.ts'
import { filled } from '../fill.ts'
import { bucketFace, faceOfName } from './clock-face.ts'
import { aPast, eventsOf, type Held, MINUTES, type Past, sutId, userId } from './story.ts'

/** Reports of usage against a model that looks at every minute of a random past. */

const MINUTE = 60_000
const ROWS_MAX = 100_000
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu']
/** Before changes of the clock in some of these zones, and in a week without. */
const BASES = ['2030-03-30T00:00:00Z', '2030-10-26T00:00:00Z', '2030-04-05T12:00:00Z', '2030-05-04T00:00:00Z']

type Figures = Record<string, number | null>
type Rows = Readonly<Record<string, Figures>>

/** Rows by bucket and key. */
const rowsOf = ({ buckets, keys, rows }: ReportColumns, { bucket }: UsageReportQuery): Rows => {
  const width = USAGE_FIGURES.length + 2
  const all: Record<string, Figures> = {}
  for (let at = 0; at < rows.length; at += width) {
    const place = `${faceOfName(buckets[rows[at] ?? -1] ?? null, bucket)} ${keys[rows[at + 1] ?? -1]}`
    const figures = USAGE_FIGURES.map((name, n) => [name, rows[at + 2 + n] ?? Number.NaN] as const)
    all[place] = Object.fromEntries(figures.map(([name, value]) => [name, Number.isNaN(value) ? null : value]))
  }
  return all
}

const keyOf = ({ tags }: Past, { sut, user, created }: Held, by: ReportBy): string | null => {
  if (by === 'sut') return sutId(sut)
  if (by === 'user') return userId(user)
  if (by === 'none') return null
  // Changes of the same minute are recorded before.
  const before = tags.toSorted((a, b) => a.at - b.at).filter((tag) => tag.sut === sut && tag.at <= created)
  return before.at(-1)?.rack ?? null
}

interface Sums {
  readonly held: string[]
  readonly used: string[]
  readonly started: Held[]
  readonly cancelled: Held[]
  early: number
  readonly users: Set<number>
  readonly suts: Set<number>
  readonly of: Set<number>
}

/** What the report should be: minutes are counted one by one. */
const model = (past: Past, query: UsageReportQuery, forwards: boolean): Rows => {
  const { from, to, by, bucket, timeZone, now, user_id } = query
  const sums = new Map<string, Sums>()
  const sumsAt = (minute: number, one: Held): Sums | undefined => {
    const moment = past.base + minute * MINUTE
    if (moment < from || moment >= to) return undefined
    const place = `${bucketFace(moment, bucket, timeZone)} ${keyOf(past, one, by)}`
    const empty = { held: [], used: [], started: [], cancelled: [], early: 0 }
    const found = sums.get(place) ?? { ...empty, users: new Set(), suts: new Set(), of: new Set() }
    sums.set(place, found)
    found.of.add(one.sut)
    return found
  }
  const nowMinute = (now - past.base) / MINUTE
  for (const one of past.reservations) {
    if (user_id !== undefined && userId(one.user) !== user_id) continue
    if (one.cancelled !== undefined) {
      sumsAt(one.start, one)?.cancelled.push(one)
      continue
    }
    sumsAt(one.start, one)?.started.push(one)
    const end = one.released ?? one.end
    for (let minute = Math.max(one.start, one.created); minute < end; minute++) {
      const found = sumsAt(minute, one)
      found?.held.push(`${one.n} ${minute}`)
      found?.users.add(one.user)
      found?.suts.add(one.sut)
      const isUsed = one.sessions.some(({ opened, closed = nowMinute }) => opened <= minute && minute < closed)
      if (isUsed) found?.used.push(`${one.n} ${minute}`)
    }
    if (one.released !== undefined && one.released < one.end) {
      const found = sumsAt(one.released, one)
      if (found !== undefined) found.early += one.end - one.released
    }
  }
  const everUsed = new Set(past.reservations.flatMap(({ sut, sessions }) => (sessions.length > 0 ? [sut] : [])))
  const isKnown = (sut: number): boolean => forwards || everUsed.has(sut)
  const isUnused = ({ sut, sessions, released, end }: Held): boolean =>
    isKnown(sut) && sessions.length === 0 && (released ?? end) <= nowMinute
  const figures = [...sums].map(([place, sum]): [string, Figures] => {
    const known = [...sum.of].some(isKnown)
    const row = {
      held_seconds: sum.held.length * 60,
      used_seconds: known ? sum.used.length * 60 : null,
      reservations: sum.started.length,
      unused_reservations: known ? sum.started.filter(isUnused).length : null,
      cancelled: sum.cancelled.length,
      released_early_seconds: sum.early * 60,
      users: sum.users.size,
      suts: sum.suts.size,
    }
    return [place, row]
  })
  return Object.fromEntries(figures)
}

const aQuery = fc.record({
  from: fc.integer({ min: -60, max: MINUTES - 1 }),
  length: fc.integer({ min: 600, max: MINUTES }),
  bucket: fc.constantFrom(...BUCKET_SIZES),
  timeZone: fc.constantFrom(...ZONES),
  by: fc.constantFrom<ReportBy>('sut', 'user', 'none', { tag: 'rack' }),
  isMine: fc.boolean(),
  isForwarded: fc.boolean(),
})

test('property: what is reported is what a count of every minute gives', (t) => {
  fc.assert(
    fc.property(aPast(BASES), aQuery, (past, { from, length, bucket, timeZone, by, isMine, isForwarded }) => {
      const now = past.base + (from + length) * MINUTE
      const query = {
        ...{ from: past.base + from * MINUTE, to: now, now, bucket, timeZone, by, rowsMax: ROWS_MAX },
        forwarded: isForwarded ? {} : undefined,
        ...(isMine && { user_id: userId(1) }),
      }
      // What is recorded later is not known yet.
      const file = filled(eventsOf(past).filter(({ metadata }) => Date.parse(metadata.time) <= now))
      try {
        const known = { ...past, reservations: past.reservations.flatMap((one) => asOf(one, from + length)) }
        const report = file.lists.usageReport(query)
        t.deepEqual(report && rowsOf(report, query), model(known, query, isForwarded))
      } finally {
        file.close()
      }
    }),
    { numRuns: rounds(30, 600) },
  )
})

/** A reservation as it was known at a minute. */
const asOf = (one: Held, minute: number): readonly Held[] => {
  const until = (at: number | undefined): number | undefined => (at !== undefined && at <= minute ? at : undefined)
  if (one.created > minute) return []
  const sessions = one.sessions
    .filter(({ opened }) => opened <= minute)
    .map(({ opened, closed }) => ({ opened, closed: until(closed) }))
  return [{ ...one, cancelled: until(one.cancelled), released: until(one.released), sessions }]
}

const DAY = Date.parse('2030-05-02T00:00:00Z')
const at = (time: string): number => Date.parse(`2030-05-02T${time}Z`)

/** A reservation of minutes of that day, by the first user. */
const aHeld = (n: number, start: number, end: number, more: Partial<Held> = {}): Held => ({
  ...{ n, sut: 0, user: 0, created: start - 60, start, end, sessions: [] },
  ...more,
})

/** A report of that day, by bucket and key. */
const report = (reservations: readonly Held[], more: Partial<UsageReportQuery> = {}, past: Partial<Past> = {}) => {
  const query: UsageReportQuery = {
    ...{ from: DAY, to: at('23:00:00'), now: at('23:00:00'), by: 'sut', bucket: 'none', timeZone: 'UTC' },
    ...{ forwarded: {}, rowsMax: ROWS_MAX, ...more },
  }
  const file = filled(eventsOf({ base: DAY, tags: [], reservations, ...past }))
  try {
    const found = file.lists.usageReport(query)
    return found && { ...found, rows: rowsOf(found, query) }
  } finally {
    file.close()
  }
}

test('a row is rounded down once, whatever its parts are', (t) => {
  const [from, to] = [at('01:00:00.600'), at('01:00:02.500')]
  const two = [aHeld(0, 60, 120), aHeld(1, 60, 120, { sut: 1 })]
  t.is(report(two, { from, to, by: 'none' })?.rows['all null']?.held_seconds, 3)
  t.is(report(two.slice(1), { from, to, by: 'none' })?.rows['all null']?.held_seconds, 1)
})

test('an open session counts until now, and not beyond the end of its reservation', (t) => {
  const open = [aHeld(0, 60, 120, { sessions: [{ opened: 90, closed: undefined }] })]
  t.is(report(open, { to: at('01:45:00'), now: at('01:45:00') })?.rows[`all ${sutId(0)}`]?.used_seconds, 900)
  t.is(report(open)?.rows[`all ${sutId(0)}`]?.used_seconds, 1_800)
})

test('nothing is known of the use of machines that nobody forwards; one session makes it known', (t) => {
  const kinds = [aHeld(0, 60, 120, { sessions: [{ opened: 60, closed: 90 }] }), aHeld(1, 60, 120, { sut: 1 })]
  const apart = report(kinds, { forwarded: undefined })?.rows
  const known = (n: number) => [
    apart?.[`all ${sutId(n)}`]?.used_seconds,
    apart?.[`all ${sutId(n)}`]?.unused_reservations,
  ]
  t.deepEqual(
    [known(0), known(1)],
    [
      [1_800, 0],
      [null, null],
    ],
  )
  const together = report(kinds, { forwarded: undefined, by: 'none' })?.rows['all null']
  t.deepEqual([together?.held_seconds, together?.used_seconds, together?.unused_reservations], [7_200, 1_800, 0])
  // One that this instance would forward by its tags.
  const tags = [{ sut: 1, at: 1_000, rack: '4' }]
  const ours = report(kinds, { forwarded: { rack: '4' } }, { tags })?.rows[`all ${sutId(1)}`]
  t.deepEqual([ours?.used_seconds, ours?.unused_reservations], [0, 1])
})

test('a tag counts as it was when the reservation was made; without it the key is null, and last', (t) => {
  const made = [aHeld(0, 60, 120), aHeld(1, 180, 240), aHeld(2, 300, 360)]
  const tags = [
    { sut: 0, at: 60, rack: '5' },
    { sut: 0, at: 200, rack: '=1' },
  ]
  const found = report(made, { by: { tag: 'rack' } }, { tags })
  t.deepEqual(
    [found?.keys, found?.names],
    [
      ['5', '=1', null],
      ['5', '=1', null],
    ],
  )
  t.deepEqual(
    Object.values(found?.rows ?? {}).map(({ held_seconds }) => held_seconds),
    [3_600, 3_600, 3_600],
  )
})

test('what begins with a bucket is in it, and what ends with one is not in the next', (t) => {
  const rows = report([aHeld(0, 60, 120)], { bucket: 'hour' })?.rows
  t.deepEqual(Object.keys(rows ?? {}), [`2030-05-02T01 +00:00 ${sutId(0)}`])
})

test('a report has as many rows as it may, or none', (t) => {
  const made = [aHeld(0, 60, 180), aHeld(1, 60, 120, { sut: 1 })]
  t.is(Object.keys(report(made, { bucket: 'hour', rowsMax: 3 })?.rows ?? {}).length, 3)
  t.is(report(made, { bucket: 'hour', rowsMax: 2 }), undefined)
})

test('machines outside a scope are left out', (t) => {
  const made = [aHeld(0, 60, 120), aHeld(1, 60, 120, { sut: 1 })]
  const tags = [{ sut: 1, at: 600, rack: '4' }]
  t.deepEqual(report(made, { scope: { rack: '4' } }, { tags })?.keys, [sutId(1)])
})

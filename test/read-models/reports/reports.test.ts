/** Reports of random pasts against a model, and of one day. */

import test from 'ava'
import fc from 'fast-check'
import { BUCKET_SIZES } from '../../../src/domain/calendar/buckets.ts'
import type { ReportBy } from '../../../src/read-models/reports/cells.ts'
import type { DemandReportQuery } from '../../../src/read-models/reports/demand.ts'
import type { UsageReportQuery } from '../../../src/read-models/reports/usage.ts'
import { rounds } from '../../thorough.ts'
import { filled } from '../fill.ts'
import { demandModel, reported, usageModel } from './model.ts'
import { aPast, eventsOf, type Held, MINUTE, MINUTES, type Past, rowsOf, sutId, userId } from './story.ts'

const ROWS_MAX = 100_000
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu']
/** Before changes of the clock in some of these zones, and in a week without. */
const BASES = ['2030-03-30T00:00:00Z', '2030-10-26T00:00:00Z', '2030-04-05T12:00:00Z', '2030-05-04T00:00:00Z']

const aQuery = fc.record({
  from: fc.integer({ min: -60, max: MINUTES - 1 }),
  length: fc.integer({ min: 60, max: MINUTES }),
  bucket: fc.constantFrom(...BUCKET_SIZES),
  timeZone: fc.constantFrom(...ZONES),
  by: fc.constantFrom<ReportBy>('sut', 'user', 'none', { tag: 'rack' }),
  isMine: fc.boolean(),
  isForwarded: fc.boolean(),
})

test('property: what is reported is what a count of every minute, request and refusal gives', (t) => {
  fc.assert(
    fc.property(aPast(BASES), aQuery, (past, { from, length, bucket, timeZone, by, isMine, isForwarded }) => {
      const now = past.base + (from + length) * MINUTE
      const span = { from: past.base + from * MINUTE, to: now, now, bucket, timeZone, rowsMax: ROWS_MAX }
      const asked = { ...span, ...(isMine && { user_id: userId(1) }) }
      // What is recorded later is not known yet.
      const file = filled(eventsOf(past).filter(({ metadata }) => Date.parse(metadata.time) <= now))
      try {
        const usage = file.lists.usageReport({ ...asked, by, forwarded: isForwarded ? {} : undefined })
        t.deepEqual(reported(rowsOf(usage), bucket), usageModel(past, { ...asked, by }, isForwarded))
        const whose = by === 'user' ? by : 'none'
        const demand = file.lists.demandReport({ ...asked, by: whose, reader: userId(1) })
        t.deepEqual(reported(rowsOf(demand), bucket), demandModel(past, { ...asked, by: whose }))
      } finally {
        file.close()
      }
    }),
    { numRuns: rounds(40, 800) },
  )
})

const DAY = Date.parse('2030-05-02T00:00:00Z')
const at = (time: string): number => Date.parse(`2030-05-02T${time}Z`)
const TO = at('23:00:00')
const SPAN = { from: DAY, to: TO, now: TO, bucket: 'none', timeZone: 'UTC', rowsMax: ROWS_MAX } as const

/** A reservation of minutes of that day, by the first user. */
const aHeld = (start: number, end: number, sut = 0): Held => ({
  ...{ sut, user: 0, created: start - 60, start, end, sessions: [] },
})

/** Reports of that day, each row by its key. */
const usage = (past: Partial<Past>, more: Partial<UsageReportQuery> = {}) => {
  using file = opened(past)
  const report = file.lists.usageReport({ ...SPAN, by: 'sut', forwarded: {}, ...more })
  return report && { ...report, rows: rowsOf(report) }
}
const demand = (past: Partial<Past>, more: Partial<DemandReportQuery> = {}) => {
  using file = opened(past)
  const report = file.lists.demandReport({ ...SPAN, by: 'none', reader: userId(1), ...more })
  return report && reported(rowsOf(report), 'none')
}
const opened = (past: Partial<Past>) => {
  const { lists, close } = filled(eventsOf({ base: DAY, ...past }))
  return { lists, [Symbol.dispose]: close }
}

test('a row is rounded down once, whatever its parts are', (t) => {
  const span = { from: at('01:00:00.600'), to: at('01:00:02.500'), by: 'none' } as const
  const two = [aHeld(60, 120), aHeld(60, 120, 1)]
  t.is(usage({ reservations: two }, span)?.rows[0]?.held_seconds, 3)
  t.is(usage({ reservations: two.slice(1) }, span)?.rows[0]?.held_seconds, 1)
})

test('the use of a machine that has the tags which this instance forwards is known', (t) => {
  const tags = [{ sut: 1, at: 1_000, rack: '4' }]
  const found = usage({ reservations: [aHeld(60, 120), aHeld(60, 120, 1)], tags }, { forwarded: { rack: '4' } })
  t.deepEqual(
    found?.rows.map((row) => [row.used_seconds, row.unused_reservations]),
    [
      [null, null],
      [0, 1],
    ],
  )
})

test('a tag counts as it was when the reservation was made; without it the key is null, and last', (t) => {
  const reservations = [aHeld(60, 120), aHeld(180, 240), aHeld(300, 360)]
  const tags = [
    { sut: 0, at: 60, rack: '5' },
    { sut: 0, at: 200, rack: '=1' },
  ]
  const found = usage({ reservations, tags }, { by: { tag: 'rack' } })
  t.deepEqual(found?.names, ['5', '=1', null])
  t.deepEqual(
    found?.rows.map(({ key, held_seconds }) => [key, held_seconds]),
    ['5', '=1', null].map((key) => [key, 3_600]),
  )
})

test('a report has as many rows as it may, or none', (t) => {
  const reservations = [aHeld(60, 180), aHeld(60, 120, 1)]
  t.is(usage({ reservations }, { bucket: 'hour', rowsMax: 3 })?.rows.length, 3)
  t.is(usage({ reservations }, { bucket: 'hour', rowsMax: 2 }), undefined)
})

test('in a scope there are the machines in it, the requests for these, and one’s own', (t) => {
  const past = {
    reservations: [aHeld(60, 120), aHeld(60, 120, 1)],
    tags: [{ sut: 1, at: 600, rack: '4' }],
    asked: [0, 1].map((user) => ({ user, at: 10, end: { type: 'RequestGranted' as const, after: 5 } })),
    refused: [{ at: 30, entries: [{ user: 0, code: 'no_sut_free', count: 2 }], others: 4 }],
  }
  t.deepEqual(usage(past, { scope: { rack: '4' } })?.keys, [sutId(1)])
  const one = { requests: 1, granted: 1, waited_seconds: 300, waited_longest_seconds: 300 }
  t.deepEqual(demand(past, { scope: { rack: '4' } }), { 'all null': one })
  // Of the others nothing is known.
  const both = { ...one, requests: 2, granted: 2, waited_seconds: 600, no_sut_free: 2 }
  t.deepEqual(demand(past, { scope: {} }), { 'all null': both })
})

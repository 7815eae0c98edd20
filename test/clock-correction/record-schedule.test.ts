import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { correctClock } from '../../src/clock-correction/record.ts'
import { SCHEDULE_STREAM } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { verifyFile } from '../audit/verify/tamper-and-verify.ts'
import { anInstance } from '../commands/setting.ts'
import { clock, explicit } from '../domain/builders.ts'
import { randomHex, readLog } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { isThorough, rounds } from '../thorough.ts'
import { rightOf } from '../users/builders.ts'

/** Starts and ends recorded by a wrong clock count as not recorded, and are recorded again when they are due. */

const aStage = async (t: ExecutionContext) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const instance = anInstance(store)
  await instance.beginSchedule()
  const sut = await instance.aSut()
  return { path, store, instance, sut }
}

const correct = (store: EventStore, from: number, to: number, now: string) =>
  correctClock(
    {
      store,
      clock: () => clock(now),
      randomHex,
      storePositionBefore: async (position) => toStorePosition(position - 1),
    },
    { from, to, why: 'the clock was ahead' },
  )

/** Starts and ends of a log outside a span, as `start 06:00`. */
const recordedIn = async (store: EventStore, without?: { readonly from: number; readonly to: number }) =>
  (await readLog(store, -1)).flatMap(({ type, data, storePosition }) => {
    if (type !== 'ReservationStarted' && type !== 'ReservationEnded') return []
    if (without !== undefined && storePosition >= without.from && storePosition <= without.to) return []
    return [`${type === 'ReservationStarted' ? 'start' : 'end'} ${data.due.slice(0, 16)}`]
  })

/** What `verify` finds. These SUTs have no port. */
const findingsIn = async (path: string) =>
  (await verifyFile(path, [])).findings.filter(({ what }) => !what.includes('a SUT without a listen_port'))

const day = (...times: readonly string[]) => times.map((each) => each.replace(' ', ' 2030-05-02T'))

test('what a wrong clock recorded is recorded again when it is due, and what was due before is not', async (t) => {
  const { path, store, instance, sut } = await aStage(t)
  for (const [from, to] of [
    ['06:00', '08:00'],
    ['08:00', '09:00'],
    ['12:00', '13:00'],
  ] as const) {
    await instance.reserve(sut, explicit(from, to))
  }
  instance.setClock('06:00')
  await instance.advance(sut)
  const from = (await store.head()) + 1
  instance.setClock('12:30')
  await instance.advance(sut)
  const to = await store.head()
  t.deepEqual(await recordedIn(store), day('start 06:00', 'end 08:00', 'start 08:00', 'end 09:00', 'start 12:00'))
  t.deepEqual(rightOf(await correct(store, from, to, '06:30')), { streams: 1, before: 0, windows: 3 })
  instance.setClock('06:30')
  t.is(await instance.reserve(sut, explicit('07:30', '08:30')), 'reservation_conflict')
  const again: readonly (readonly [time: string, recorded: readonly string[]])[] = [
    ['07:59', []],
    ['08:00', ['end 08:00', 'start 08:00']],
    ['09:00', ['end 09:00']],
    ['12:00', ['start 12:00']],
    ['13:00', ['end 13:00']],
  ]
  const expected = day('start 06:00')
  for (const [time, recorded] of again) {
    instance.setClock(time)
    await instance.advance(sut)
    expected.push(...day(...recorded))
    t.deepEqual(await recordedIn(store, { from, to }), expected, time)
  }
  await store.close()
  t.deepEqual(await findingsIn(path), [])
})

test('a correction leaves the stream of the schedule alone', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const instance = anInstance(store)
  const sut = await instance.aSut()
  instance.setClock('12:00')
  const from = (await store.head()) + 1
  await instance.beginSchedule()
  await instance.describe(sut, 'described too early')
  t.deepEqual(rightOf(await correct(store, from, await store.head(), '06:00')), { streams: 1, before: 0, windows: 0 })
  const inSchedule = (await readLog(store, -1)).filter(({ stream }) => stream === SCHEDULE_STREAM)
  t.deepEqual(
    inSchedule.map(({ type }) => type),
    ['ScheduleBegan'],
  )
  await store.close()
  t.deepEqual(await findingsIn(path), [])
})

const NOON = Date.parse('2030-05-02T12:00:00Z')
const quarter = (n: number): string => new Date(NOON + n * 900_000).toISOString()

const windows = (most: number) =>
  fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 8 })), { maxLength: most })

/** Reservations and records before and while the clock is ahead; in quarters of an hour. */
const story = fc.record({
  before: windows(12),
  passed: fc.integer({ min: 0, max: 30 }),
  recorded: fc.nat(6),
  // At most a few days, or longer than ends are waited for.
  ahead: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 2_900, max: 3_100 })),
  during: windows(4),
  recordedAhead: fc.nat(12),
  recordedAfter: fc.nat(2),
})

test('property: after a correction each start and end is recorded when it is due, and the log is sound', async (t) => {
  const seen = { inSpan: 0, corrections: 0 }
  const law = fc.asyncProperty(story, async (told) => {
    const { path, store, instance, sut } = await aStage(t)
    const expected: string[] = []
    const book = async (since: number, [start, length]: readonly [number, number]): Promise<void> => {
      const [from, to] = [quarter(since + start), quarter(since + start + length)]
      if ((await instance.reserve(sut, explicit(from, to))) !== 'made') return
      expected.push(`start ${from.slice(0, 16)}`, `end ${to.slice(0, 16)}`)
    }
    instance.setClock(quarter(0))
    for (const window of told.before) await book(0, window)
    instance.setClock(quarter(told.passed))
    await instance.advance(sut, told.recorded)
    const from = (await store.head()) + 1
    const wrong = told.passed + told.ahead
    instance.setClock(quarter(wrong))
    await instance.advance(sut, told.recordedAhead)
    for (const window of told.during) await book(wrong, window)
    await instance.advance(sut, told.recordedAfter)
    const to = await store.head()
    const span = to >= from ? { from, to } : undefined
    if (span !== undefined) {
      rightOf(await correct(store, from, to, quarter(told.passed)))
      seen.corrections++
      seen.inSpan += (await recordedIn(store)).length - (await recordedIn(store, span)).length
    }
    for (let n = told.passed; n < told.passed + 100; n += 3) {
      instance.setClock(quarter(n))
      await instance.advance(sut)
    }
    for (let n = wrong; n < wrong + 100; n += 3) {
      instance.setClock(quarter(Math.max(n, told.passed + 100)))
      await instance.advance(sut)
    }
    t.deepEqual((await recordedIn(store, span)).toSorted(), expected.toSorted())
    await store.close()
    t.deepEqual(await findingsIn(path), [])
  })
  await fc.assert(law, { numRuns: rounds(10, 40) })
  if (isThorough) t.true(seen.inSpan > 20 && seen.corrections > 20, JSON.stringify(seen))
})

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { type CorrectionRequest, correctClock } from '../../src/clock-correction/record.ts'
import { makeRunner } from '../../src/commands/runner.ts'
import { monitoringDecider } from '../../src/domain/monitoring/decide.ts'
import { type TokenCommand, tokenDecider, validTokens } from '../../src/domain/token/decide.ts'
import { type UserCommand, userDecider } from '../../src/domain/user/decide.ts'
import { QUOTA_DEFAULT } from '../../src/domain/user/quota.ts'
import { monitoringStream, sutStream, tokenStream, USERS_STREAM } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { NO_SNAPSHOTS } from '../commands/script.ts'
import { anInstance, type Instance } from '../commands/setting.ts'
import { administrator, alice, clock, explicit, tokenIssued, userCredentials } from '../domain/builders.ts'
import { randomHex, readAll } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { rounds } from '../thorough.ts'
import { leftOf, rightOf } from '../users/builders.ts'

const RIGHT = '06:00'
const WRONG = '2031-05-02T06:00:00Z'
/** Within the horizon of one year, by the wrong clock. */
const IN_2031 = { from: '2031-05-02T08:00:00Z', to: '2031-05-02T09:00:00Z' }
const WHY = 'booted without its battery'

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

/** In the embedded store, store positions are consecutive numbers. */
const correct = (store: EventStore, span: Omit<CorrectionRequest, 'why'>, now = RIGHT) =>
  correctClock(
    {
      store,
      clock: () => clock(now),
      randomHex,
      storePositionBefore: async (position) => toStorePosition(position - 1),
    },
    { ...span, why: WHY },
  )

const reserve = (instance: Instance, sut: string, from: string, to: string): Promise<string> =>
  instance.reserve(sut, explicit(from, to))

/** A SUT with two future reservations, and one more made while the clock was a year ahead. */
const aDisabledSut = async (store: EventStore) => {
  const instance = anInstance(store)
  const sut = await instance.aSut()
  await reserve(instance, sut, '08:00', '09:00')
  await reserve(instance, sut, '10:00', '11:00')
  instance.setClock(WRONG)
  const at = await store.head()
  await reserve(instance, sut, IN_2031.from, IN_2031.to)
  instance.setClock(RIGHT)
  return { instance, sut, span: { from: at + 1, to: await store.head() } }
}

test('a correction makes a SUT disabled by a wrong clock usable again and keeps its reservations', async (t) => {
  const store = await aStore(t)
  const { instance, sut, span } = await aDisabledSut(store)
  t.is(await reserve(instance, sut, '12:00', '13:00'), 'clock_behind')
  t.deepEqual(rightOf(await correct(store, span)), { streams: 1, before: 0, windows: 2 })
  t.is(await reserve(instance, sut, '08:30', '09:30'), 'reservation_conflict')
  t.is(await reserve(instance, sut, '10:00', '11:00'), 'reservation_conflict')
  t.is(await reserve(instance, sut, IN_2031.from, IN_2031.to), 'reservation_conflict')
  t.is(await reserve(instance, sut, '12:00', '13:00'), 'made')
})

test('a correction makes probes of a SUT recordable again, in their own stream', async (t) => {
  const store = await aStore(t)
  let now = clock(RIGHT)
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  const id = 'a'.repeat(24)
  const probe = async (changes: number): Promise<string> => {
    const shown = { status: 'unknown', changes } as const
    const [type, instance] = ['RecordProbe', '0123456789abcdef'] as const
    const ended = await runner.run(monitoringDecider, monitoringStream(id), {
      command: { type, _id: id, cause: undefined, instance, failingSince: 0, shown },
      actor: { _id: 'monitor', role: 'system' },
      requestId: `${instance}:1`,
    })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }
  now = clock(WRONG)
  t.is(await probe(0), 'recorded')
  now = clock(RIGHT)
  t.is(await probe(1), 'clock_behind')
  const head = await store.head()
  t.deepEqual(rightOf(await correct(store, { from: head, to: head })), { streams: 1, before: 0, windows: 0 })
  const corrected = (await readAll(store, monitoringStream(id))).at(-1)
  t.false('sut_id' in (corrected?.data ?? {}))
  t.is(await probe(1), 'recorded')
})

test('a correction makes users changeable again, and keeps them as they are', async (t) => {
  const store = await aStore(t)
  let now = clock(RIGHT)
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  const run = async (command: UserCommand): Promise<string> => {
    const ended = await runner.run(userDecider, USERS_STREAM, { command, actor: administrator, requestId: 'r' })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }
  const claim = { folded: 'alice', known: new Map() }
  t.is(
    await run({
      type: 'AddUser',
      _id: alice,
      role: 'tester',
      quotaDefault: QUOTA_DEFAULT,
      credentials: userCredentials(1),
      claim,
    }),
    'recorded',
  )
  now = clock(WRONG)
  t.is(await run({ type: 'ChangeUser', _id: alice, quotaDefault: QUOTA_DEFAULT, scope: 'rack=4' }), 'recorded')
  now = clock(RIGHT)
  t.is(await run({ type: 'RemoveUser', _id: alice, reservations: 'keep' }), 'clock_behind')
  const head = await store.head()
  t.deepEqual(rightOf(await correct(store, { from: head, to: head })), { streams: 1, before: 0, windows: 0 })
  const corrected = (await readAll(store, USERS_STREAM)).at(-1)
  t.is(corrected?.type, 'ClockCorrected')
  t.false('sut_id' in (corrected?.data ?? {}))
  t.is(await run({ type: 'ChangeUser', _id: alice, quotaDefault: QUOTA_DEFAULT, scope: 'rack=4' }), 'already')
  t.is(await run({ type: 'RemoveUser', _id: alice, reservations: 'keep' }), 'recorded')
})

test('a correction makes tokens revocable again, and those valid again that the wrong time had expired', async (t) => {
  const store = await aStore(t)
  let now = clock(RIGHT)
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  const run = async (command: TokenCommand): Promise<string> => {
    const ended = await runner.run(tokenDecider, tokenStream(alice), {
      command,
      actor: administrator,
      requestId: 'r',
    })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }
  const [one, two] = ['0f5b3c2a91d84e7766aa0001', '0f5b3c2a91d84e7766aa0002']
  const expires_at = '2030-05-03T06:00:00.000Z'
  t.is(await run({ type: 'IssueToken', token: tokenIssued({ _id: one, expires_at }).data }), 'recorded')
  now = clock(WRONG)
  t.is(await run({ type: 'IssueToken', token: tokenIssued({ _id: two }).data }), 'recorded')
  now = clock(RIGHT)
  const revoke = { type: 'RevokeToken', _id: one, user_id: alice } as const
  t.is(await run(revoke), 'clock_behind')
  const head = await store.head()
  t.deepEqual(rightOf(await correct(store, { from: head, to: head })), { streams: 1, before: 0, windows: 0 })
  t.is((await readAll(store, tokenStream(alice))).at(-1)?.type, 'ClockCorrected')
  const valid = validTokens(await runner.inspect(tokenDecider, tokenStream(alice), (state) => state), now)
  t.deepEqual(
    valid.map(({ _id }) => _id),
    [one, two],
  )
  t.is(await run(revoke), 'recorded')
})

test('after a correction, another instance does not double-book either', async (t) => {
  const store = await aStore(t)
  const { sut, span } = await aDisabledSut(store)
  const other = anInstance(store)
  other.setClock(RIGHT)
  t.is(await reserve(other, sut, '12:00', '13:00'), 'clock_behind')
  rightOf(await correct(store, span))
  t.is(await reserve(other, sut, '08:30', '09:30'), 'reservation_conflict')
  other.setClock(WRONG)
  t.is(await reserve(other, sut, IN_2031.from, IN_2031.to), 'reservation_conflict')
})

test('control: a correction without the existing windows allows double booking', async (t) => {
  const store = await aStore(t)
  const { instance, sut, span } = await aDisabledSut(store)
  const forgetful: EventStore = {
    ...store,
    append: (stream, expected, events) =>
      store.append(
        stream,
        expected,
        events.map((event) =>
          event.type === 'ClockCorrected' ? { ...event, data: { ...event.data, windows: [] } } : event,
        ),
      ),
  }
  rightOf(await correct(forgetful, span))
  t.is(await reserve(instance, sut, '08:00', '09:00'), 'made')
})

test('a correction records its events, time, reason and actor', async (t) => {
  const store = await aStore(t)
  const { sut, span } = await aDisabledSut(store)
  rightOf(await correct(store, span))
  const events = await readAll(store, sutStream(sut))
  const { type, data, metadata } = events.at(-1) as (typeof events)[number]
  const wrong = events.at(-2)?.revision
  t.is(type, 'ClockCorrected')
  t.like(data, {
    positions: span,
    revisions: { from: wrong, to: wrong },
    time: '2030-05-02T05:58:00.000Z',
    sut_id: sut,
    remaining: 0,
  })
  t.like(metadata, { actor: 'command-line', role: 'system', reason: WHY, time: '2030-05-02T06:00:00.000Z' })
})

test('repeating a correction records nothing', async (t) => {
  const store = await aStore(t)
  const { span } = await aDisabledSut(store)
  rightOf(await correct(store, span))
  const before = await store.head()
  t.deepEqual(rightOf(await correct(store, span)), { streams: 1, before: 1, windows: 0 })
  t.is(await store.head(), before)
})

test('a span beyond the log, without wrong times, or missing some is refused and records nothing', async (t) => {
  const store = await aStore(t)
  const { instance, sut, span } = await aDisabledSut(store)
  instance.setClock(WRONG)
  await instance.describe(sut, 'once more')
  const before = await store.head()
  t.regex(leftOf(await correct(store, { from: span.from, to: 99 })), /the log ends at position/)
  t.regex(leftOf(await correct(store, { from: 0, to: span.from - 1 })), /no time in this span is ahead of the clock/)
  t.regex(leftOf(await correct(store, span)), /also has a time ahead of the clock outside this span/)
  t.is(await store.head(), before)
  t.deepEqual(rightOf(await correct(store, { from: span.from, to: span.to + 1 })), {
    streams: 1,
    before: 0,
    windows: 2,
  })
})

test('thorough: windows that exceed one correction event are split over several, with the number remaining', async (t) => {
  const store = await aStore(t)
  const instance = anInstance(store)
  const sut = await instance.aSut()
  const quarter = (n: number): string => new Date(clock('08:00') + n * 900_000).toISOString()
  for (let n = 0; n < 1_500; n++) t.is(await reserve(instance, sut, quarter(n), quarter(n + 1)), 'made')
  instance.setClock(WRONG)
  const from = (await store.head()) + 1
  await reserve(instance, sut, IN_2031.from, IN_2031.to)
  instance.setClock(RIGHT)
  t.deepEqual(rightOf(await correct(store, { from, to: from })), { streams: 1, before: 0, windows: 1_500 })
  const corrections = (await readAll(store, sutStream(sut))).flatMap((event) =>
    event.type === 'ClockCorrected' ? [[event.data.windows.length, event.data.remaining]] : [],
  )
  t.deepEqual(corrections, [
    [1_000, 500],
    [500, 0],
  ])
  for (const n of [0, 999, 1_000, 1_499]) {
    t.is(await reserve(instance, sut, quarter(n), quarter(n + 1)), 'reservation_conflict', `${n}`)
  }
})

/** Reservations on one SUT, before and while the clock is ahead; in quarters of an hour. */
const arbitraryStory = fc.record({
  before: fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 8 })), { maxLength: 12 }),
  ahead: fc.integer({ min: 2, max: 400 }),
  during: fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 8 })), {
    minLength: 1,
    maxLength: 6,
  }),
})

const NOON = Date.parse('2030-05-02T12:00:00Z')
const after = (since: number, quarters: number): string => new Date(since + quarters * 900_000).toISOString()

test('property: after a correction, no instance can double-book an existing window', async (t) => {
  await fc.assert(
    fc.asyncProperty(arbitraryStory, async ({ before, ahead, during }) => {
      const store = await aStore(t)
      const [here, there] = [anInstance(store), anInstance(store)]
      const sut = await here.aSut()
      here.setClock(after(NOON, 0))
      const existing: [string, string][] = []
      const book = async (since: number, [start, length]: readonly [number, number]) => {
        const window = [after(since, start), after(since, start + length)] as [string, string]
        if ((await reserve(here, sut, ...window)) === 'made') existing.push(window)
      }
      for (const window of before) await book(NOON, window)
      const from = (await store.head()) + 1
      const wrong = NOON + ahead * 900_000
      here.setClock(after(wrong, 0))
      for (const window of during) await book(wrong, window)
      if ((await store.head()) < from) return
      there.setClock(after(NOON, 0))
      await reserve(there, sut, after(NOON, 0), after(NOON, 1))
      rightOf(await correct(store, { from, to: await store.head() }, after(NOON, 0)))
      here.setClock(after(NOON, 0))
      for (const instance of [here, there]) {
        for (const window of existing) t.is(await reserve(instance, sut, ...window), 'reservation_conflict')
      }
    }),
    { numRuns: rounds(8, 30) },
  )
})

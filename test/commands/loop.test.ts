import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Snapshot } from '../../src/domain/decider.ts'
import { reservationDecider } from '../../src/domain/reservation/decide.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import type { StorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { explicit } from '../domain/builders.ts'
import { readAll } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { anInstance } from './setting.ts'
import { counting } from './store/counting-store.ts'

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

const reservationsOf = async (store: EventStore, sut: string): Promise<number> =>
  (await readAll(store, sutStream(sut))).filter(({ type }) => type === 'ReservationCreated').length

test('commands on one SUT run in order of arrival', async (t) => {
  const truth = await aStore(t)
  const { store, appends } = counting(truth)
  const instance = anInstance(store)
  const sut = await instance.aSut()
  const before = appends()
  const hours = ['12', '08', '10', '16', '14', '20', '18']
  const asked = hours.map((hour) => instance.reserve(sut, explicit(`${hour}:00`, `${hour}:30`)))
  t.deepEqual(
    await Promise.all(asked),
    hours.map(() => 'made'),
  )
  t.is(appends() - before, hours.length)
  const starts = (await readAll(truth, sutStream(sut))).flatMap(({ type, data }) =>
    type === 'ReservationCreated' ? [data.start_time.slice(11, 13)] : [],
  )
  t.deepEqual(starts, hours)
})

test('commands queued after a failing one still run', async (t) => {
  const truth = await aStore(t)
  let isHealthy = true
  const store: EventStore = {
    ...truth,
    append: (...given) => {
      if (isHealthy) return truth.append(...given)
      isHealthy = true
      throw new Error('a bug')
    },
  }
  const instance = anInstance(store)
  const sut = await instance.aSut()
  isHealthy = false
  const [wrong, ...others] = await Promise.allSettled(
    ['08', '10', '12'].map((hour) => instance.reserve(sut, explicit(`${hour}:00`, `${hour}:30`))),
  )
  t.is(wrong?.status, 'rejected')
  t.deepEqual(
    others.map((other) => other.status === 'fulfilled' && other.value),
    ['made', 'made'],
  )
})

test('a command that is overtaken at every attempt is tried until its timeout, and ends as unavailable', async (t) => {
  const healthy = await aStore(t)
  const sut = await anInstance(healthy).aSut()
  const { store, appends } = counting({ ...healthy, append: async () => E.left('moved') })
  const begun = performance.now()
  const instance = anInstance(store, { retryTimeout: 200 })
  t.is(await instance.reserve(sut, explicit('08:00', '09:00')), 'unavailable')
  t.true(performance.now() - begun >= 200)
  // With pauses of up to 8 ms in between.
  t.true(appends() > 2 && appends() < 200, `${appends()} attempts`)
  t.is(await reservationsOf(healthy, sut), 0)
})

test('commands that wait for their turn behind an unanswered append end with it, and append nothing', async (t) => {
  const healthy = await aStore(t)
  const sut = await anInstance(healthy).aSut()
  const { store, appends } = counting({
    ...healthy,
    append: async (...[, , , , within]) => {
      await delay(within)
      return E.left('unknown')
    },
  })
  const instance = anInstance(store, { commandTimeout: 300 })
  const answers = ['08', '10', '12'].map((hour) => instance.reserve(sut, explicit(`${hour}:00`, `${hour}:30`)))
  t.deepEqual(await Promise.all(answers), ['outcome_unknown', 'unavailable', 'unavailable'])
  t.is(appends(), 1)
})

test('a command whose stream is not answered ends in time, and the next one gets its turn', async (t) => {
  const healthy = await aStore(t)
  const sut = await anInstance(healthy).aSut()
  let isSilent = true
  const silent: EventStore = {
    ...healthy,
    async *readStream(...given) {
      if (isSilent) await new Promise(() => undefined)
      yield* healthy.readStream(...given)
    },
  }
  const instance = anInstance(silent, { commandTimeout: 300 })
  t.is(await instance.reserve(sut, explicit('08:00', '09:00')), 'unavailable')
  isSilent = false
  t.is(await instance.reserve(sut, explicit('08:00', '09:00')), 'made')
})

const INSTANCES = 8

/** The outcomes of eight instances that reserve the same window concurrently. */
const race = async (truth: EventStore, store: EventStore): Promise<readonly string[]> => {
  const sut = await anInstance(truth).aSut()
  const instances = Array.from({ length: INSTANCES }, () => anInstance(store))
  // Each instance caches the SUT first.
  for (const instance of instances) await instance.reserve(sut, explicit('05:00', '05:15'))
  return (await Promise.all(instances.map(({ reserve }) => reserve(sut, explicit('08:00', '09:00'))))).sort()
}

const ONE_WINNER = ['made', ...Array.from({ length: INSTANCES - 1 }, () => 'reservation_conflict')].sort()

test('of eight instances racing for one window, one gets it and seven are refused with a conflict', async (t) => {
  const store = await aStore(t)
  for (let round = 0; round < 10; round++) t.deepEqual(await race(store, store), ONE_WINNER)
})

const snapshotsIn = (kept: Map<string, Snapshot>) => ({
  read: (stream: string) => kept.get(stream),
  keep: (stream: string, _: number, snapshot: () => Snapshot | undefined) => {
    const saved = snapshot()
    if (saved !== undefined) kept.set(stream, saved)
  },
  dropUnwritten: () => undefined,
})

test('a snapshot of another decider version is ignored', async (t) => {
  const store = await aStore(t)
  const sut = await anInstance(store).aSut()
  const stream = sutStream(sut)
  const [created] = await readAll(store, stream)
  const state = { ...reservationDecider.evolve(reservationDecider.initial, created as never), status: 'retired' }
  const withSnapshotOf = (version: number) => {
    const storePosition = created?.storePosition as StorePosition
    const snapshot = { stream, version, revision: 0, storePosition, text: JSON.stringify(state) }
    return anInstance(store, { snapshots: snapshotsIn(new Map([[stream, snapshot]])) })
  }
  const { version } = reservationDecider
  t.is(await withSnapshotOf(version + 1).reserve(sut, explicit('08:00', '09:00')), 'made')
  // Control: a snapshot of this version is used; it contains a retired SUT.
  t.is(await withSnapshotOf(version).reserve(sut, explicit('10:00', '11:00')), 'sut_retired')
})

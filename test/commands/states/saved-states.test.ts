import test, { type ExecutionContext } from 'ava'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { clock, explicit } from '../../domain/builders.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance, type Instance } from '../setting.ts'
import { counting } from '../store/counting-store.ts'
import { keptStates } from './kept-states.ts'

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

const QUARTER = 900
const hours = (n: number): string => formatWithOffset(clock('06:00') / 1000 + n * QUARTER, 0)
/** The `n`th quarter of an hour after six. */
const quarter = (n: number) => explicit(hours(n), hours(n + 1))

const book = async (instance: Instance, sut: string, from: number, to: number): Promise<readonly string[]> => {
  const answers: string[] = []
  for (let n = from; n < to; n++) answers.push(await instance.reserve(sut, quarter(n)))
  return answers
}

const WINDOWS = 600

/** A SUT with many future reservations, and its snapshot. */
const aLongCalendar = async (t: ExecutionContext) => {
  const store = await aStore(t)
  const kept = keptStates(t)
  const sut = await anInstance(store).aSut()
  const instance = anInstance(store, { snapshots: kept.snapshots })
  t.deepEqual(new Set(await book(instance, sut, 0, WINDOWS)), new Set(['made']))
  t.true(kept.written() > 0)
  return { store, sut, instance, ...kept }
}

test('after a restart, a command reads only the events since the snapshot', async (t) => {
  const { store, sut, snapshots } = await aLongCalendar(t)
  const { store: counted, eventsRead } = counting(store)
  const restarted = anInstance(counted, { snapshots })
  t.is(await restarted.reserve(sut, quarter(5)), 'reservation_conflict')
  t.true(eventsRead() <= 256, `${eventsRead()} events`)
  t.is(await restarted.reserve(sut, quarter(WINDOWS)), 'made')
  t.is(await restarted.reserve(sut, quarter(WINDOWS)), 'reservation_conflict')
})

test('evicted states are saved and read again', async (t) => {
  const store = await aStore(t)
  const { snapshots, written } = keptStates(t)
  const suts = await Promise.all(Array.from({ length: 8 }, () => anInstance(store).aSut()))
  const instance = anInstance(store, { snapshots, statesMax: 2 })
  const { store: counted, eventsRead } = counting(store)
  for (let n = 0; n < 20; n++) {
    for (const sut of suts) t.is(await instance.reserve(sut, quarter(n)), 'made')
  }
  t.true(written() > 100, `${written()} written`)
  const other = anInstance(counted, { snapshots })
  for (const sut of suts) {
    for (const n of [0, 10, 19]) t.is(await other.reserve(sut, quarter(n)), 'reservation_conflict')
  }
  t.true(eventsRead() <= 8, `${eventsRead()} events: each is saved as it was when evicted`)
})

test('a stopping service saves its cached states, so that the next start folds nothing', async (t) => {
  const { store, sut, instance, snapshots } = await aLongCalendar(t)
  t.is(await instance.reserve(sut, quarter(WINDOWS)), 'made')
  instance.keepStates()
  const { store: counted, eventsRead } = counting(store)
  t.is(await anInstance(counted, { snapshots }).reserve(sut, quarter(WINDOWS)), 'reservation_conflict')
  t.is(eventsRead(), 0)
})

test('thorough: a state too large to be written at once is folded from its stream', async (t) => {
  const store = await aStore(t)
  const sut = await anInstance(store).aSut()
  const { snapshots, written } = keptStates(t)
  const first = anInstance(store, { snapshots })
  await book(first, sut, 0, 22_500)
  const before = written()
  t.true(before > 0, 'while it was smaller')
  first.keepStates()
  t.is(written(), before)
  const { store: counted, eventsRead } = counting(store)
  const restarted = anInstance(counted, { snapshots })
  t.is(await restarted.reserve(sut, quarter(22_499)), 'reservation_conflict')
  t.true(eventsRead() > 256 && eventsRead() < 22_500, `${eventsRead()} events`)
  t.is(await restarted.reserve(sut, quarter(22_500)), 'made')
})

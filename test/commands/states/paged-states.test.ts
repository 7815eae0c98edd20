import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeRunner } from '../../../src/commands/runner.ts'
import { PagesLost, type Snapshots } from '../../../src/commands/states/snapshots.ts'
import { WIDTH } from '../../../src/domain/calendar/held.ts'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { administrator, clock, explicit } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { NO_SNAPSHOTS } from '../script.ts'
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
  return { store, sut, ...kept }
}

test('after a restart, a command reads only the pages of its window and the events since the snapshot', async (t) => {
  const { store, sut, snapshots, pagesRead } = await aLongCalendar(t)
  const { store: counted, eventsRead } = counting(store)
  const restarted = anInstance(counted, { snapshots })
  t.is(await restarted.reserve(sut, quarter(5)), 'reservation_conflict')
  t.true(eventsRead() <= 256, `${eventsRead()} events`)
  const before = pagesRead()
  t.true(before <= 12, `${before} of the pages`)
  t.is(await restarted.reserve(sut, quarter(WINDOWS)), 'made')
  t.is(await restarted.reserve(sut, quarter(WINDOWS)), 'reservation_conflict')
})

test('thorough: evicted states are saved and restored from their pages', async (t) => {
  const store = await aStore(t)
  const { snapshots, pagesRead } = keptStates(t)
  const suts = await Promise.all(Array.from({ length: 8 }, () => anInstance(store).aSut()))
  // Memory for two of the eight.
  const instance = anInstance(store, { snapshots, cacheBytesMax: 2 * 8_192 })
  const { store: counted, eventsRead } = counting(store)
  for (let n = 0; n < 120; n++) {
    for (const sut of suts) t.is(await instance.reserve(sut, quarter(n)), 'made')
  }
  t.true(pagesRead() > 500, `${pagesRead()} pages`)
  const other = anInstance(counted, { snapshots })
  for (const sut of suts) {
    for (const n of [0, 60, 119]) t.is(await other.reserve(sut, quarter(n)), 'reservation_conflict')
  }
  t.true(eventsRead() <= 8 * 4, `${eventsRead()} events: each is saved as it was when evicted`)
})

test('a stopping service saves its cached states, so that the next start folds nothing', async (t) => {
  const { store, sut, snapshots } = await aLongCalendar(t)
  const instance = anInstance(store, { snapshots })
  t.is(await instance.reserve(sut, quarter(WINDOWS)), 'made')
  instance.keepStates()
  const { store: counted, eventsRead } = counting(store)
  t.is(await anInstance(counted, { snapshots }).reserve(sut, quarter(WINDOWS)), 'reservation_conflict')
  t.is(eventsRead(), 0)
})

/** Snapshots some of whose pages cannot be read. */
const losing = (snapshots: Snapshots, isLost: () => boolean): Snapshots => ({
  ...snapshots,
  readPage: (id) => (isLost() ? undefined : snapshots.readPage(id)),
})

test('a state with unreadable pages is folded from its stream', async (t) => {
  const { store, sut, snapshots } = await aLongCalendar(t)
  for (const readable of [0, 1, 2, 3]) {
    let reads = 0
    const instance = anInstance(store, { snapshots: losing(snapshots, () => ++reads > readable) })
    t.is(await instance.reserve(sut, quarter(7)), 'reservation_conflict')
    t.is(await instance.reserve(sut, quarter(WINDOWS + readable)), 'made')
    t.is(await instance.reserve(sut, quarter(WINDOWS + readable)), 'reservation_conflict')
  }
})

for (const [how, isReadable, outcome] of [
  ['recorded if its stream can be read', true, 'recorded'],
  ['of unknown outcome if not', false, 'outcome_unknown'],
] as const) {
  test(`a command whose new state needs a page that is lost after the append is ${how}`, async (t) => {
    const store = await aStore(t)
    const sut = await anInstance(store).aSut()
    let isAppended = false
    const fragile: EventStore = {
      ...store,
      append: async (...given) => {
        const appended = await store.append(...given)
        isAppended = E.isRight(appended)
        return appended
      },
      readStream: (...given) => {
        if (isAppended && !isReadable) throw new StoreUnavailable('the log cannot be read')
        return store.readStream(...given)
      },
    }
    let isLost = true
    const evolve: typeof sutDecider.evolve = (state, event) => {
      if (!isAppended || !isLost) return sutDecider.evolve(state, event)
      isLost = false
      throw new PagesLost('a page of a state could not be read')
    }
    const runner = makeRunner({ store: fragile, clock: () => clock('05:58'), randomHex, snapshots: NO_SNAPSHOTS })
    const command = { type: 'UpdateSut', values: { description: 'another' } } as const
    const envelope = { command, actor: administrator, requestId: randomHex(8) }
    const ran = await runner.run({ ...sutDecider, evolve }, sutStream(sut), envelope)
    t.is(E.isLeft(ran) ? ran.left.code : ran.right.kind, outcome)
    t.is(await anInstance(store).describe(sut, 'another'), 'already', 'it was recorded')
  })
}

test('control: commands are decided on the pages: altered pages cause a double booking', async (t) => {
  const { store, sut, snapshots } = await aLongCalendar(t)
  const empty: Snapshots = {
    ...snapshots,
    readPage: (id) => {
      const rows = snapshots.readPage(id)
      return rows && { ...rows, numbers: rows.numbers.map((word, n) => (n % WIDTH < 2 ? word + 1_000_000 : word)) }
    },
  }
  t.is(await anInstance(store, { snapshots: empty }).reserve(sut, quarter(7)), 'made', 'booked twice')
})

test('saving a state again writes only new pages and removes obsolete ones', async (t) => {
  const { store, sut, snapshots, file } = await aLongCalendar(t)
  const idsOf = () => file.snapshot(`sut-${sut}`)?.pages.map(({ id }) => id as number) ?? []
  const before = idsOf()
  const instance = anInstance(store, { snapshots })
  await book(instance, sut, WINDOWS, WINDOWS + 300)
  const after = idsOf()
  t.true(after.length > before.length)
  t.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1))
  const gone = before.filter((id) => !after.includes(id))
  t.deepEqual(
    gone.map((id) => file.page(id)),
    gone.map(() => undefined),
  )
  t.true(after.every((id) => file.page(id) !== undefined))
})

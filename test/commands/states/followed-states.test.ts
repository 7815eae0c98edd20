import test, { type ExecutionContext } from 'ava'
import type { FollowedLog } from '../../../src/commands/states/log-continuity.ts'
import { type Batch, BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { explicit } from '../../domain/builders.ts'
import { readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance } from '../setting.ts'
import { counting } from '../store/counting-store.ts'

/** States in memory of one instance, while another instance appends to the same streams. */

const window = (hour: number) => explicit(`${hour}:00`, `${hour}:30`)

const given = async (t: ExecutionContext, around: (store: EventStore) => EventStore = (store) => store) => {
  const truth = openStore(t, await aPath(t))
  let epoch: number | undefined = 1
  let last = { storePosition: BEGINNING, eventId: '', stream: '', revision: -1 }
  let listener: (events: Batch['events']) => void = () => undefined
  const log: FollowedLog = {
    followEpoch: () => epoch,
    lastFolded: () => last,
    watch: (each) => {
      listener = each
    },
  }
  /** Everything that the subscription has not brought yet. */
  const deliver = async (): Promise<void> => {
    const events = await readLog(truth, last.storePosition)
    const { id: eventId, storePosition, stream, revision } = events.at(-1) as (typeof events)[number]
    last = { storePosition, eventId, stream, revision }
    listener(events)
  }
  const counted = counting(around(truth))
  const instance = anInstance(counted.store, { log, isShared: true })
  const sut = await instance.aSut()
  await deliver()
  const interrupt = (): void => {
    epoch = (epoch ?? 0) + 1
  }
  return { ...counted, instance, other: anInstance(truth), sut, deliver, interrupt }
}

test('a command is decided on what other instances have appended, without an append in vain', async (t) => {
  const { instance, other, sut, deliver, appends, streamsRead } = await given(t)
  const before = [appends(), streamsRead()]
  for (const hour of [10, 11, 12]) t.is(await other.reserve(sut, window(hour)), 'made')
  await deliver()
  t.is(await instance.reserve(sut, window(13)), 'made')
  t.deepEqual([appends(), streamsRead()], [(before[0] ?? 0) + 1, before[1]])
})

test('an own append that the subscription brings before its answer is folded once', async (t) => {
  let onAppended: () => Promise<void> = async () => undefined
  const { instance, other, sut, deliver, appends } = await given(t, (store) => ({
    ...store,
    append: async (...what) => {
      const appended = await store.append(...what)
      await onAppended()
      return appended
    },
  }))
  onAppended = async () => {
    onAppended = async () => undefined
    t.is(await other.reserve(sut, window(17)), 'made')
    await deliver()
  }
  const before = appends()
  for (const hour of [10, 11]) t.is(await instance.reserve(sut, window(hour)), 'made')
  t.is(appends(), before + 2)
  t.is(await instance.reserve(sut, window(17)), 'reservation_conflict')
})

test('after an interruption nothing is folded before the states are confirmed', async (t) => {
  const { instance, other, sut, deliver, interrupt, appends } = await given(t)
  interrupt()
  t.is(await other.reserve(sut, window(17)), 'made')
  await deliver()
  const before = appends()
  t.is(await instance.reserve(sut, window(18)), 'made')
  t.is(appends(), before + 2, 'one in vain, with the state of before')
  await deliver()
  t.is(await other.reserve(sut, window(19)), 'made')
  await deliver()
  t.is(await instance.reserve(sut, window(10)), 'made')
  t.is(appends(), before + 3)
})

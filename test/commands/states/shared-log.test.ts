/** Cached states while the subscription to the log is interrupted and resumed. */

import test, { type ExecutionContext } from 'ava'
import type { FollowedLog } from '../../../src/commands/states.ts'
import type { Snapshot } from '../../../src/domain/decider.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import {
  type Batch,
  BEGINNING,
  type EventPosition,
  type EventStore,
  StoreUnavailable,
} from '../../../src/event-store/event-store.ts'
import { explicit } from '../../domain/builders.ts'
import type { ProtocolServer } from '../../event-store/eventstoredb/protocol/protocol-server.ts'
import { aServer } from '../../event-store/eventstoredb/server-and-client.ts'
import { openAdapter } from '../../event-store/eventstoredb/service/instances.ts'
import { readAll, readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance } from '../setting.ts'
import { counting } from '../store/counting-store.ts'

const NOTHING: EventPosition = { storePosition: BEGINNING, eventId: '', stream: '', revision: -1 }

/** An instance's subscription, interrupted and resumed on demand. */
const aFollowedLog = () => {
  let time: number | undefined = 1
  let last = NOTHING
  let listener: (events: Batch['events']) => void = () => undefined
  const log: FollowedLog = {
    followEpoch: () => time,
    lastFolded: () => last,
    watch: (each) => {
      listener = each
    },
  }
  return {
    log,
    /** Everything in a store that the subscription has not brought yet. */
    deliver: async (store: EventStore): Promise<void> => {
      const events = await readLog(store, last.storePosition)
      const { id: eventId, storePosition, stream, revision } = events.at(-1) as (typeof events)[number]
      last = { storePosition, eventId, stream, revision }
      listener(events)
    },
    cut: () => {
      time = undefined
    },
    followAgain: (n: number) => {
      time = n
    },
    fold: (event: EventPosition) => {
      last = event
    },
  }
}

const window = (hour: number) => explicit(`${hour}:00`, `${hour}:30`)

test('after an interruption, states are folded again, and until its end each command looks at the log', async (t) => {
  const { store, streamsRead } = counting(openStore(t, await aPath(t)))
  const { log, cut, followAgain } = aFollowedLog()
  const instance = anInstance(store, { log })
  const sut = await instance.aSut()
  const readsOf = async (hour: number): Promise<number> => {
    const before = streamsRead()
    t.is(await instance.reserve(sut, window(hour)), 'made')
    return streamsRead() - before
  }
  t.is(await readsOf(10), 0)
  cut()
  t.deepEqual([await readsOf(11), await readsOf(12)], [1, 1])
  followAgain(2)
  t.deepEqual([await readsOf(13), await readsOf(14)], [1, 0])
})

test('while the log is unreadable, no command is decided', async (t) => {
  const truth = openStore(t, await aPath(t))
  let isReadable = true
  const { store, appends } = counting({
    ...truth,
    async *readStream(stream, after) {
      if (!isReadable) throw new StoreUnavailable('the store does not answer')
      yield* truth.readStream(stream, after)
    },
  })
  const { log, cut, followAgain } = aFollowedLog()
  const instance = anInstance(store, { log })
  const sut = await instance.aSut()
  cut()
  isReadable = false
  const written = appends()
  t.is(await instance.reserve(sut, window(10)), 'unavailable')
  t.is(appends(), written)
  isReadable = true
  followAgain(2)
  t.is(await instance.reserve(sut, window(10)), 'made')
})

/**
 * A log of two SUTs, folded up to the second, in which a reservation of the first is replaced by another at the same
 * revision, position and length.
 */
const replaced = async (t: ExecutionContext, server: ProtocolServer, { isFolded = false }) => {
  const kept = new Map<string, Snapshot>()
  let dropped = 0
  const snapshots = {
    read: (stream: string) => kept.get(stream),
    keep: () => undefined,
    dropUnwritten: () => {
      dropped++
    },
  }
  const store = await openAdapter(t, server)
  const { log, cut, followAgain, fold } = aFollowedLog()
  const instance = anInstance(store, { snapshots, log })
  const [sut, other] = [await instance.aSut(), await instance.aSut()]
  const placeOf = async (id: string): Promise<EventPosition> => {
    const { storePosition, id: eventId, stream, revision } = (await readAll(store, sutStream(id))).at(-1) as never
    return { storePosition, eventId, stream, revision }
  }
  fold(await placeOf(other))
  t.is(await instance.reserve(sut, window(10)), 'made')
  if (isFolded) fold(await placeOf(sut))
  cut()
  const lost = server.log.readable(sutStream(sut))?.at(-1) as NonNullable<ReturnType<typeof server.log.all>[number]>
  server.log.truncateAfter(lost.position - 1)
  const { type, metadata } = lost
  const data = Buffer.from(Buffer.from(lost.data).toString().replaceAll('T10:', 'T12:'))
  const replacement = { id: crypto.randomUUID(), type, data, metadata }
  server.log.append(lost.stream, lost.revision - 1, [replacement])
  return { instance, sut, other, followAgain, fold, placeOf, dropped: () => dropped }
}

test("if the log was replaced after the views' position, all cached states are dropped", async (t) => {
  const { instance, sut, other, followAgain, dropped } = await replaced(t, await aServer(t), {})
  followAgain(2)
  const answers = [await instance.reserve(other, window(10)), await instance.reserve(sut, window(12))]
  t.deepEqual(answers, ['made', 'reservation_conflict'])
  t.is(await instance.reserve(sut, window(10)), 'made')
  t.is(dropped(), 2, 'at the start, and now')
})

test('if the views have gone on with a log that was replaced, all cached states are dropped', async (t) => {
  const server = await aServer(t)
  const { instance, sut, followAgain, fold, dropped, placeOf } = await replaced(t, server, {})
  t.is(await anInstance(await openAdapter(t, server, 91)).reserve(sut, window(16)), 'made')
  followAgain(2)
  fold(await placeOf(sut))
  t.is(await instance.reserve(sut, window(12)), 'reservation_conflict')
  t.is(dropped(), 2, 'at the start, and now')
  t.is(await instance.reserve(sut, window(10)), 'made')
})

test("if the log was replaced before the views' position, no command is decided", async (t) => {
  // Views do not follow it again.
  const { instance, sut, other } = await replaced(t, await aServer(t), { isFolded: true })
  for (const id of [sut, other]) t.is(await instance.reserve(id, window(14)), 'unavailable')
})

/** States in memory of one instance, while another instance appends to the same streams. */
const followed = async (t: ExecutionContext, around: (store: EventStore) => EventStore = (store) => store) => {
  const truth = openStore(t, await aPath(t))
  const { log, deliver: deliverFrom, followAgain } = aFollowedLog()
  const deliver = () => deliverFrom(truth)
  const counted = counting(around(truth))
  const instance = anInstance(counted.store, { log, isShared: true })
  const sut = await instance.aSut()
  await deliver()
  return { ...counted, instance, other: anInstance(truth), sut, deliver, interrupt: () => followAgain(2) }
}

test('a command is decided on what other instances have appended, without an append in vain', async (t) => {
  const { instance, other, sut, deliver, appends, streamsRead } = await followed(t)
  const before = [appends(), streamsRead()]
  for (const hour of [10, 11, 12]) t.is(await other.reserve(sut, window(hour)), 'made')
  await deliver()
  t.is(await instance.reserve(sut, window(13)), 'made')
  t.deepEqual([appends(), streamsRead()], [(before[0] ?? 0) + 1, before[1]])
})

test('an own append that the subscription brings before its answer is folded once', async (t) => {
  let onAppended: () => Promise<void> = async () => undefined
  const { instance, other, sut, deliver, appends } = await followed(t, (store) => ({
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

test('after an interruption nothing is folded into the states of before', async (t) => {
  const { instance, other, sut, deliver, interrupt, appends } = await followed(t)
  interrupt()
  t.is(await other.reserve(sut, window(17)), 'made')
  await deliver()
  const before = appends()
  t.is(await instance.reserve(sut, window(18)), 'made')
  t.is(appends(), before + 1)
  await deliver()
  t.is(await other.reserve(sut, window(19)), 'made')
  await deliver()
  t.is(await instance.reserve(sut, window(10)), 'made')
  t.is(appends(), before + 2)
})

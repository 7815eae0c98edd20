import { deepStrictEqual as equal } from 'node:assert'
import { once } from 'node:events'
import { eventTypeFilter, type Filter, type Position, streamNameFilter } from '@eventstore/db-client'
import { anEvent, aStream, idsOf, type Law, positionOf, readStream, type Store, someEvents, take } from './law.ts'

const subscribe = ({ client }: Store, fromPosition: Position | 'start', filter: Filter) =>
  client.subscribeToAll({ fromPosition, filter })

/** A position before the events of this law, so that older events are not read. */
const mark = async (store: Store): Promise<Position> =>
  positionOf({ ...(await store.append(aStream('mark'), 'no_stream', someEvents(1))) })

const names = (prefixes: string[]): Filter => streamNameFilter({ prefixes })

/** Checks that a filter passes exactly the wanted events, in order, both existing and new ones. */
const checkFilter = async (store: Store, make: (name: string) => { filter: Filter; wanted: boolean[] }) => {
  const from = await mark(store)
  const name = crypto.randomUUID()
  const { filter, wanted } = make(name)
  const write = async () => {
    const events = [anEvent('1', `A${name}`), anEvent('2', `B${name}`), anEvent('3', `C${name}`)]
    const streams = ['a', 'b', 'c'].map((letter) => `${letter}${name}-${crypto.randomUUID()}`)
    for (const [index, event] of events.entries()) await store.append(streams[index] ?? '', 'no_stream', [event])
    return idsOf(events.filter((_, index) => wanted[index]))
  }
  const before = await write()
  const subscription = subscribe(store, from, filter)
  await once(subscription, 'confirmation')
  const after = await write()
  equal(idsOf(await take(subscription, before.length + after.length)), [...before, ...after])
}

const resuming: readonly Law[] = [
  {
    title: 'a subscription from a position starts after it, even within an append',
    check: async (store) => {
      const stream = aStream()
      await mark(store)
      await store.append(stream, 'no_stream', someEvents(3))
      await store.append(stream, 2n, someEvents(2))
      const events = await readStream(store, stream)
      for (const [index, event] of events.slice(0, -1).entries()) {
        const rest = events.slice(index + 1)
        const subscription = subscribe(store, positionOf(event), names([stream]))
        equal(idsOf(await take(subscription, rest.length)), idsOf(rest))
      }
    },
  },
  {
    title: 'a subscription delivers events written after its start, each once and in order',
    check: async (store) => {
      const stream = aStream()
      const from = await mark(store)
      const events = someEvents(40)
      await store.append(stream, 'no_stream', events.slice(0, 20))
      const taken = take(subscribe(store, from, names([stream])), events.length)
      for (let index = 20; index < events.length; index++) {
        await store.append(stream, BigInt(index - 1), events.slice(index, index + 1))
      }
      equal(idsOf(await taken), idsOf(events))
    },
  },
  {
    title: 'a stream subscription starts after a revision, and waits for a missing stream',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(3)
      const early = store.client.subscribeToStream(stream)
      await once(early, 'confirmation')
      await store.append(stream, 'no_stream', events)
      equal(idsOf(await take(early, 3)), idsOf(events))
      equal(idsOf(await take(store.client.subscribeToStream(stream, { fromRevision: 0n }), 2)), idsOf(events.slice(1)))
    },
  },
  {
    title: 'a subscription reports at least once that it has caught up, and continues',
    check: async (store) => {
      const stream = aStream()
      const from = await mark(store)
      const events = someEvents(5)
      await store.append(stream, 'no_stream', events)
      const subscription = subscribe(store, from, names([stream]))
      let seen = 0
      subscription.on('data', () => seen++)
      await once(subscription, 'caughtUp')
      while (seen < events.length) await once(subscription, 'data')
      const [late] = someEvents(1)
      const next = once(subscription, 'data')
      await store.append(stream, 4n, late ? [late] : [])
      equal((await next)[0].event.id, late?.id)
      subscription.destroy()
    },
  },
]

const filters: readonly Law[] = [
  {
    title: 'a subscription filtered by stream name prefixes delivers only matching events',
    check: (store) =>
      checkFilter(store, (name) => ({ filter: names([`a${name}`, `c${name}`]), wanted: [true, false, true] })),
  },
  {
    title: 'a subscription filtered by a stream name pattern delivers only matching events',
    check: (store) =>
      checkFilter(store, (name) => ({
        filter: streamNameFilter({ regex: `^[bc]${name}` }),
        wanted: [false, true, true],
      })),
  },
  {
    title: 'a subscription filtered by event type prefixes delivers only matching events',
    check: (store) =>
      checkFilter(store, (name) => ({
        filter: eventTypeFilter({ prefixes: [`B${name}`] }),
        wanted: [false, true, false],
      })),
  },
  {
    title: 'a subscription filtered by an event type pattern delivers only matching events',
    check: (store) =>
      checkFilter(store, (name) => ({
        filter: eventTypeFilter({ regex: `^[AC]${name}$` }),
        wanted: [true, false, true],
      })),
  },
]

export const lawsOfSubscriptions: readonly Law[] = [...resuming, ...filters]

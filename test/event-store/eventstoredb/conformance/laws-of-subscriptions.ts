import { deepStrictEqual as equal } from 'node:assert'
import { once } from 'node:events'
import { eventTypeFilter, type Filter, type Position, streamNameFilter } from '@eventstore/db-client'
import { anEvent, aStream, idsOf, type Law, positionOf, readStream, type Store, someEvents, take } from './law.ts'

const subscribe = ({ client }: Store, fromPosition: Position | 'start', filter: Filter) =>
  client.subscribeToAll({ fromPosition, filter })

/** Where the log is before anything of a law, so that no law reads what others wrote long ago. */
const mark = async (store: Store): Promise<Position> =>
  positionOf({ ...(await store.append(aStream('mark'), 'no_stream', someEvents(1))) })

const names = (prefixes: string[]): Filter => streamNameFilter({ prefixes })

/** Whether what comes through a filter is that, and in that order, of what was there and of what comes after. */
const comesThrough = async (store: Store, make: (name: string) => { filter: Filter; wanted: boolean[] }) => {
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
    title: 'a subscription from a position begins behind it, at whichever event of an append that is',
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
    title: 'a subscription goes on with what is written after it began, each event once and in order',
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
    title: 'a subscription to a stream begins behind a revision, and waits for a stream that is not there',
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
    title: 'a subscription tells, once or more, that it has caught up, and goes on',
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
    title: 'a subscription by the beginnings of stream names has those and no others',
    check: (store) =>
      comesThrough(store, (name) => ({ filter: names([`a${name}`, `c${name}`]), wanted: [true, false, true] })),
  },
  {
    title: 'a subscription by a pattern of stream names has those and no others',
    check: (store) =>
      comesThrough(store, (name) => ({
        filter: streamNameFilter({ regex: `^[bc]${name}` }),
        wanted: [false, true, true],
      })),
  },
  {
    title: 'a subscription by the beginnings of event types has those and no others',
    check: (store) =>
      comesThrough(store, (name) => ({
        filter: eventTypeFilter({ prefixes: [`B${name}`] }),
        wanted: [false, true, false],
      })),
  },
  {
    title: 'a subscription by a pattern of event types has those and no others',
    check: (store) =>
      comesThrough(store, (name) => ({
        filter: eventTypeFilter({ regex: `^[AC]${name}$` }),
        wanted: [true, false, true],
      })),
  },
]

export const lawsOfSubscriptions: readonly Law[] = [...resuming, ...filters]

import { deepStrictEqual as equal, ok } from 'node:assert'
import type { Position, RecordedEvent } from '@eventstore/db-client'
import { aStream, idsOf, isMissing, type Law, positionOf, readAll, readStream, someEvents } from './law.ts'

const isRising = (events: readonly RecordedEvent[]): boolean =>
  events.every((event, index) => {
    const before = events[index - 1]
    return before === undefined || positionOf(before).commit < positionOf(event).commit
  })

const of = (stream: string) => (event: RecordedEvent) => event.streamId === stream

const START_OF_TIME = Date.UTC(2020, 0)

export const lawsOfReads: readonly Law[] = [
  {
    title: 'a stream without events is missing',
    check: async (store) => ok(await isMissing(store, aStream())),
  },
  {
    title: 'an event is read back unchanged, with the time of the write',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(1)
      await store.append(stream, 'no_stream', events)
      const [read] = await readStream(store, stream)
      const given = events[0]
      equal(
        [read?.id, read?.type, read?.data, read?.metadata, read?.isJson, read?.streamId, read?.revision],
        [given?.id, given?.type, given?.data, given?.metadata, true, stream, 0n],
      )
      ok(read !== undefined && read.created.getTime() > START_OF_TIME)
    },
  },
  {
    title: 'a stream is read from a revision, inclusive, up to a count',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(5)
      await store.append(stream, 'no_stream', events)
      equal(idsOf(await readStream(store, stream, { fromRevision: 1n, maxCount: 2 })), idsOf(events.slice(1, 3)))
      equal(idsOf(await readStream(store, stream, { fromRevision: 4n })), idsOf(events.slice(4)))
      equal(await readStream(store, stream, { fromRevision: 5n }), [])
    },
  },
  {
    title: 'a stream is read backwards from its end, or from a revision, inclusive',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(5)
      const ids = [...idsOf(events)].reverse()
      await store.append(stream, 'no_stream', events)
      const direction = 'backwards' as const
      equal(idsOf(await readStream(store, stream, { direction, fromRevision: 'end', maxCount: 2 })), ids.slice(0, 2))
      equal(idsOf(await readStream(store, stream, { direction, fromRevision: 2n })), ids.slice(2))
    },
  },
  {
    title: 'every event has its own position, even within one append, and commit equals prepare',
    check: async (store) => {
      const stream = aStream()
      await store.append(stream, 'no_stream', someEvents(4))
      const events = await readStream(store, stream)
      ok(isRising(events))
      for (const { commit, prepare } of events.map(positionOf)) equal(commit, prepare)
    },
  },
  {
    title: 'the log is read from a position, inclusive, in order',
    check: async (store) => {
      const stream = aStream()
      const other = aStream('other')
      await store.append(stream, 'no_stream', someEvents(3))
      await store.append(other, 'no_stream', someEvents(1))
      await store.append(stream, 2n, someEvents(1))
      const events = await readStream(store, stream)
      const fromPosition: Position = positionOf(events[1] ?? {})
      const all = await readAll(store, { fromPosition, maxCount: 500 })
      equal(all[0]?.id, events[1]?.id)
      ok(isRising(all))
      equal(idsOf(all.filter(of(stream))), idsOf(events.slice(1)))
      ok(all.findIndex(of(other)) > all.findLastIndex(({ id }) => id === events[2]?.id))
    },
  },
  {
    title: 'the log is read backwards from its end',
    check: async (store) => {
      const stream = aStream()
      const { position } = await store.append(stream, 'no_stream', someEvents(3))
      const all = await readAll(store, { direction: 'backwards', fromPosition: 'end', maxCount: 500 })
      ok(isRising(all.toReversed()))
      ok(positionOf(all[0] ?? {}).commit >= (position?.commit ?? 0n))
      equal(idsOf(all.filter(of(stream)).toReversed()), idsOf(await readStream(store, stream)))
    },
  },
  {
    title: 'the log includes events of the server itself',
    check: async (store) => {
      const stream = aStream()
      const { position } = await store.append(stream, 'no_stream', someEvents(1))
      await store.client.setStreamMetadata(stream, { maxCount: 50 }, { credentials: store.credentials })
      const all = await readAll(store, { fromPosition: positionOf({ ...(position && { position }) }), maxCount: 500 })
      ok(all.some(({ streamId, type }) => streamId === `$$${stream}` && type === '$metadata'))
    },
  },
  {
    title: "a stream's maxCount applies at once to its reads; the log still has all events",
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(5)
      await store.client.setStreamMetadata(stream, { maxCount: 2 }, { credentials: store.credentials })
      const { position } = await store.append(stream, 'no_stream', events.slice(0, 1))
      await store.append(stream, 0n, events.slice(1))
      equal(idsOf(await readStream(store, stream)), idsOf(events.slice(3)))
      const all = await readAll(store, { fromPosition: positionOf({ ...(position && { position }) }), maxCount: 500 })
      equal(idsOf(all.filter(of(stream))), idsOf(events))
    },
  },
]

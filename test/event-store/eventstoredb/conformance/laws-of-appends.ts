import { deepStrictEqual as equal, ok } from 'node:assert'
import { ErrorType } from '@eventstore/db-client'
import { anEvent, aStream, idsOf, isMissing, type Law, positionOf, readStream, refusalOf, someEvents } from './law.ts'

const isConflict = (refusal: Awaited<ReturnType<typeof refusalOf>>, expected: unknown, actual: unknown): void =>
  equal(
    [refusal.type, refusal.expectedVersion, refusal.actualVersion],
    [ErrorType.WRONG_EXPECTED_VERSION, expected, actual],
  )

const revisions: readonly Law[] = [
  {
    title: 'an append returns the revision and position of its last event',
    check: async (store) => {
      const stream = aStream()
      const result = await store.append(stream, 'no_stream', someEvents(3))
      const events = await readStream(store, stream)
      equal(result.nextExpectedRevision, 2n)
      equal(result.position, positionOf(events[2] ?? {}))
    },
  },
  {
    title: 'an append at the last revision adds its events after it, in order',
    check: async (store) => {
      const stream = aStream()
      const [first, ...more] = someEvents(4)
      await store.append(stream, 'no_stream', first ? [first] : [])
      equal((await store.append(stream, 0n, more)).nextExpectedRevision, 3n)
      const events = await readStream(store, stream)
      equal(idsOf(events), idsOf([first ?? anEvent(), ...more]))
      equal(
        events.map(({ revision }) => revision),
        [0n, 1n, 2n, 3n],
      )
    },
  },
  {
    title: 'an append at another revision is refused completely, with the current revision',
    check: async (store) => {
      const stream = aStream()
      isConflict(await refusalOf(store.append(stream, 4n, someEvents(1))), 4n, 'no_stream')
      await store.append(stream, 'no_stream', someEvents(3))
      isConflict(await refusalOf(store.append(stream, 1n, someEvents(2))), 1n, 2n)
      isConflict(await refusalOf(store.append(stream, 7n, someEvents(2))), 7n, 2n)
      isConflict(await refusalOf(store.append(stream, 'no_stream', someEvents(2))), 'no_stream', 2n)
      equal((await readStream(store, stream)).length, 3)
    },
  },
  {
    title: 'an append that requires an existing stream is refused if it is missing',
    check: async (store) => {
      const stream = aStream()
      isConflict(await refusalOf(store.append(stream, 'stream_exists', someEvents(1))), 'stream_exists', 'no_stream')
      await store.append(stream, 'any', someEvents(1))
      equal((await store.append(stream, 'stream_exists', someEvents(1))).nextExpectedRevision, 1n)
    },
  },
  {
    title: 'of concurrent appends at one revision, one is written',
    check: async (store) => {
      const stream = aStream()
      await store.append(stream, 'no_stream', someEvents(1))
      const racers = Array.from({ length: 8 }, () => store.append(stream, 0n, someEvents(2)))
      const outcomes = await Promise.allSettled(racers)
      equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      equal((await readStream(store, stream)).length, 3)
    },
  },
]

const repeats: readonly Law[] = [
  {
    title: 'an append repeated at its revision succeeds and is not written again',
    check: async (store) => {
      const stream = aStream()
      const [first, second] = [someEvents(2), someEvents(3)]
      await store.append(stream, 'no_stream', first)
      await store.append(stream, 1n, second)
      await store.append(stream, 4n, someEvents(1))
      equal((await store.append(stream, 'no_stream', first)).nextExpectedRevision, 1n)
      equal((await store.append(stream, 1n, second)).nextExpectedRevision, 4n)
      equal((await readStream(store, stream)).length, 6)
    },
  },
  {
    title: 'repeating only the first events of an append at its revision succeeds',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(3)
      await store.append(stream, 'no_stream', events)
      equal((await store.append(stream, 'no_stream', events.slice(0, 2))).nextExpectedRevision, 1n)
      equal((await readStream(store, stream)).length, 3)
    },
  },
  {
    title: 'an append repeated with more events is refused',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(2)
      await store.append(stream, 'no_stream', events)
      isConflict(await refusalOf(store.append(stream, 'no_stream', [...events, anEvent()])), 'no_stream', 1n)
      equal((await readStream(store, stream)).length, 2)
    },
  },
  {
    title: 'other events at the revision of an earlier append are refused',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(2)
      await store.append(stream, 'no_stream', events)
      const changed = [...events.slice(0, 1), anEvent()]
      isConflict(await refusalOf(store.append(stream, 'no_stream', changed)), 'no_stream', 1n)
      equal(idsOf(await readStream(store, stream)), idsOf(events))
    },
  },
  {
    title: 'an event repeated at the revision of the last event is written again',
    check: async (store) => {
      const stream = aStream()
      const events = someEvents(1)
      await store.append(stream, 'no_stream', events)
      equal((await store.append(stream, 0n, events)).nextExpectedRevision, 1n)
      equal(idsOf(await readStream(store, stream)), idsOf([...events, ...events]))
    },
  },
]

const limits: readonly Law[] = [
  {
    title: 'an empty append to a missing stream succeeds without creating it',
    check: async (store) => {
      const stream = aStream()
      equal((await store.append(stream, 'no_stream', [])).success, true)
      ok(await isMissing(store, stream))
    },
  },
  {
    title: 'an append of more than 1 MiB is refused completely, even if each event is small',
    check: async (store) => {
      const stream = aStream()
      const events = Array.from({ length: 12 }, () => anEvent('x'.repeat(100_000)))
      const { type } = await refusalOf(store.append(stream, 'no_stream', events))
      equal(type, ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
      ok(await isMissing(store, stream))
      await store.append(stream, 'no_stream', events.slice(0, 9))
      equal((await readStream(store, stream)).length, 9)
    },
  },
  {
    title: 'a deleted stream is missing, and a new append continues its revisions',
    check: async (store) => {
      const stream = aStream()
      await store.append(stream, 'no_stream', someEvents(3))
      await store.client.deleteStream(stream, { expectedRevision: 2n, credentials: store.credentials })
      ok(await isMissing(store, stream))
      const [again] = someEvents(1)
      equal((await store.append(stream, 'no_stream', again ? [again] : [])).nextExpectedRevision, 3n)
      equal(idsOf(await readStream(store, stream)), idsOf(again ? [again] : []))
    },
  },
]

export const lawsOfAppends: readonly Law[] = [...revisions, ...repeats, ...limits]

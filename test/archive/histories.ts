/** Logs to copy. */

import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import fc from 'fast-check'
import { EVENT_TYPES, type NewEvent } from '../../src/domain/event.ts'
import { LISTEN_PORTS_STREAM, makeEventId, sutStream } from '../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../src/event-store/event-store.ts'
import { arbitraryData, arbitraryMetadata } from '../domain/arbitrary-events.ts'
import { idOf, metadata } from '../domain/builders.ts'
import { append, done, randomHex, recordsOf } from '../event-store/new-events.ts'
import { aDirectory, openStore } from '../event-store/sqlite/subject.ts'

/** Consecutive events of one stream. */
export interface Run {
  readonly stream: string
  readonly events: readonly NewEvent[]
}

const TIME = Date.UTC(2030, 4, 2)
const STREAMS = [...[0, 1, 2].map((n) => sutStream(idOf(n))), LISTEN_PORTS_STREAM]

const anyEvent: fc.Arbitrary<NewEvent> = fc
  .constantFrom(...EVENT_TYPES)
  .chain((type) =>
    fc
      .record({ data: arbitraryData[type] as fc.Arbitrary<object>, metadata: arbitraryMetadata() })
      .map((parts) => ({ type, id: makeEventId(TIME, randomHex(10)), ...parts }) as NewEvent),
  )

/** Any events in any streams, without regard to the rules. */
export const anyRuns: fc.Arbitrary<readonly Run[]> = fc.array(
  fc.record({ stream: fc.constantFrom(...STREAMS), events: fc.array(anyEvent, { minLength: 1, maxLength: 5 }) }),
  { minLength: 1, maxLength: 12 },
)

/** `count` updates with a note, all in one stream. */
export const notes = (stream: string, count: number, note: string): Run => ({
  stream,
  events: Array.from({ length: count }, (_, n) => ({
    type: 'SutUpdated',
    data: { _id: stream.slice('sut-'.length), description: `${n} ${note}` },
    id: makeEventId(TIME + n, randomHex(10)),
    metadata: metadata(new Date(TIME + n).toISOString()),
  })),
})

/** A new embedded log. */
export const anEmbeddedLog = async (t: ExecutionContext): Promise<{ store: EventStore; path: string }> => {
  const path = join(await aDirectory(t), 'events.db')
  return { store: openStore(t, path), path }
}

/** Appends the runs to the ends of their streams. */
export const record = async (store: EventStore, runs: readonly Run[]): Promise<void> => {
  const revisions = new Map<string, number>()
  for await (const page of store.records(BEGINNING)) {
    for (const { text } of page) {
      const { stream, revision } = JSON.parse(text) as { stream: string; revision: number }
      revisions.set(stream, revision)
    }
  }
  for (const { stream, events } of runs) {
    revisions.set(stream, done(await append(store, stream, revisions.get(stream) ?? -1, events)).revision)
  }
}

/** The stored texts of a log, in any store. */
export const textsOf = async (store: EventStore): Promise<readonly string[]> =>
  (await recordsOf(store, -1)).map(({ text }) => text)

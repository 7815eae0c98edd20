import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../../../src/domain/event.ts'
import type { EventStore } from '../../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../../src/event-store/eventstoredb/server/address.ts'
import { openStoreConnection } from '../../../../src/event-store/eventstoredb/server/connection.ts'
import { faultOf, isAnswer } from '../../../../src/event-store/eventstoredb/server/faults.ts'
import { toClient } from '../../../../src/event-store/eventstoredb/server/records.ts'
import { rightOf } from '../../../users/builders.ts'
import type { BreakAdapter } from '../fault-schedules.ts'
import type { FaultName } from '../faults.ts'
import { addressOf } from '../service/instances.ts'

/** Adapters that handle lost answers wrongly, to prove that the fault schedules detect them. */

interface Attempt {
  readonly expected: number
  readonly events: readonly NewEvent[]
}

type Again = (store: EventStore, stream: string, last: Attempt) => Promise<Attempt | 'written' | 'unavailable'>

/** Appends like the adapter, except when the answer to a reservation is lost. */
const appending =
  (again: Again): BreakAdapter =>
  (server, instance) =>
  (store) => {
    const connection = openStoreConnection(
      rightOf(readEventStoreDbAddress(addressOf(server, 20 + instance))),
      'commands',
    )
    const append: EventStore['append'] = async (stream, expected, events, secrets) => {
      if (!events.some(({ type }) => type === 'ReservationCreated')) {
        return store.append(stream, expected, events, secrets)
      }
      let attempt: Attempt = { expected, events }
      for (;;) {
        const revision = attempt.expected
        const expectedRevision = revision === -1 ? ('no_stream' as const) : BigInt(revision)
        const written = { revision: revision + events.length, storePosition: await store.head() }
        try {
          await connection.use((client) => client.append(stream, attempt.events.map(toClient), expectedRevision, 1_000))
          return E.right({ ...written, storePosition: await store.head() })
        } catch (error) {
          if (isAnswer(faultOf(error))) return E.left('moved')
        }
        const next = await again(store, stream, attempt)
        if (next === 'written') return E.right(written)
        if (next === 'unavailable') return E.left(next)
        attempt = next
      }
    }
    const close = async (): Promise<void> => {
      await connection.close()
      await store.close()
    }
    return { ...store, append, close }
  }

const headOf = async (store: EventStore, stream: string): Promise<number> => {
  let last = -1
  for await (const page of store.readStream(stream, -1)) last = page.at(-1)?.revision ?? last
  return last
}

/** Repeats at the stream's current revision, as if it read the stream before each attempt. */
const repeatsAtCurrentRevision = appending(async (store, stream, { events }) => ({
  expected: await headOf(store, stream),
  events,
}))

/** Repeats with new ids, so that the server cannot detect the repeat. */
const makesNewIds = appending(async (_, __, { expected, events }) => ({
  expected,
  events: events.map((event) => ({ ...event, id: randomUUID() })),
}))

const assumesRecorded = appending(async () => 'written')

/** Reports "not written" for an append that may have been written. */
const assumesNotRecorded = appending(async () => 'unavailable')

/** Resumes one event too late after a disconnect. */
const missesOneAfterADisconnect: BreakAdapter = () => (store) => {
  let cuts = 0
  return {
    ...store,
    async *subscribe(after, signal) {
      let isFirst = cuts++ > 0
      for await (const { events, caughtUp } of store.subscribe(after, signal)) {
        yield { events: isFirst ? events.slice(1) : events, caughtUp }
        if (events.length > 0) isFirst = false
      }
    },
  }
}

/** A broken adapter, and the faults that expose it. */
interface Broken {
  readonly breakAdapter: BreakAdapter
  readonly faults: readonly FaultName[]
}

const NOT_WRITTEN: readonly FaultName[] = ['refused', 'never answered']
const WRITTEN: readonly FaultName[] = ['lost', 'lost and never answered']

export const brokenAdapters: Readonly<Record<string, Broken>> = {
  'repeats an append at the current revision': { breakAdapter: repeatsAtCurrentRevision, faults: WRITTEN },
  'repeats an append with new ids': { breakAdapter: makesNewIds, faults: WRITTEN },
  'assumes that an unanswered append was recorded': { breakAdapter: assumesRecorded, faults: NOT_WRITTEN },
  'assumes that an unanswered append was not recorded': { breakAdapter: assumesNotRecorded, faults: WRITTEN },
  'misses an event after its subscription was disconnected': {
    breakAdapter: missesOneAfterADisconnect,
    faults: ['reset', 'restart', 'subscriptions ended'],
  },
}

import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../../../src/domain/event.ts'
import type { EventStore } from '../../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../../src/event-store/eventstoredb/server/address.ts'
import { openConnection } from '../../../../src/event-store/eventstoredb/server/connection.ts'
import { faultOf, isAnswer } from '../../../../src/event-store/eventstoredb/server/faults.ts'
import { toClient } from '../../../../src/event-store/eventstoredb/server/records.ts'
import { rightOf } from '../../../users/builders.ts'
import type { BreakAdapter } from '../fault-schedules.ts'
import type { FaultName } from '../faults.ts'
import { addressOf } from '../service/instances.ts'

/** Adapters that get along with lost answers wrongly, each in its own way: what the check of schedules is checked with. */

interface Attempt {
  readonly expected: number
  readonly events: readonly NewEvent[]
}

type Again = (store: EventStore, stream: string, last: Attempt) => Promise<Attempt | 'written' | 'unavailable'>

/** Appends as the adapter does, but does something else when the answer to a reservation is lost. */
const appending =
  (again: Again): BreakAdapter =>
  (server, instance) =>
  (store) => {
    const connection = openConnection(rightOf(readEventStoreDbAddress(addressOf(server, 20 + instance))), 'commands')
    const { credentials } = connection
    const append: EventStore['append'] = (stream, expected, events, secrets) => async () => {
      if (!events.some(({ type }) => type === 'ReservationCreated')) {
        return store.append(stream, expected, events, secrets)()
      }
      let attempt: Attempt = { expected, events }
      for (;;) {
        const revision = attempt.expected
        const expectedRevision = revision === -1 ? ('no_stream' as const) : BigInt(revision)
        const options = { credentials, expectedRevision, deadline: 1_000 }
        const written = { revision: revision + events.length, mark: await store.head() }
        try {
          await connection.use((client) => client.appendToStream(stream, attempt.events.map(toClient), options))
          return E.right({ ...written, mark: await store.head() })
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

/** Repeats at the revision at which the stream is by now, as one would who reads again before every attempt. */
const rereadsTheRevision = appending(async (store, stream, { events }) => ({
  expected: await headOf(store, stream),
  events,
}))

/** Repeats with ids made anew, so that the repetition is known by nothing. */
const makesNewIds = appending(async (_, __, { expected, events }) => ({
  expected,
  events: events.map((event) => ({ ...event, id: randomUUID() })),
}))

const takesSilenceForConsent = appending(async () => 'written')

/** Says of what may have been written that it was not. */
const takesSilenceForRefusal = appending(async () => 'unavailable')

/** Goes on behind the event after the one at which it was cut off. */
const missesOneAfterACut: BreakAdapter = () => (store) => {
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

/** What is wrong with an adapter, and the faults under which that shows. */
interface Broken {
  readonly breakAdapter: BreakAdapter
  readonly faults: readonly FaultName[]
}

const NOT_WRITTEN: readonly FaultName[] = ['refused', 'never answered']
const WRITTEN: readonly FaultName[] = ['lost', 'lost and never answered']

export const brokenAdapters: Readonly<Record<string, Broken>> = {
  'repeats an append at the revision it reads again': { breakAdapter: rereadsTheRevision, faults: WRITTEN },
  'repeats an append with new ids': { breakAdapter: makesNewIds, faults: WRITTEN },
  'takes an append that is not answered for recorded': { breakAdapter: takesSilenceForConsent, faults: NOT_WRITTEN },
  'takes an append that is not answered for not recorded': { breakAdapter: takesSilenceForRefusal, faults: WRITTEN },
  'misses an event when its subscription was cut off': {
    breakAdapter: missesOneAfterACut,
    faults: ['reset', 'restart', 'subscriptions ended'],
  },
}

import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import { BEGINNING, type EventStore } from '../../event-store.ts'
import { LOG_STREAM, makeLastEventsRequest, readEvent, type StoreEvent } from './all.ts'
import type { ReadCall, StoreClient } from './client.ts'
import { type Connection, toUnavailable } from './connection.ts'
import { faultOf } from './faults.ts'
import { type LogEvents, markOf } from './records.ts'

/** Events of a stream read at a time. */
const PAGE = 256
/** Milliseconds that one page may take: the client itself would wait for ever. */
const PAGE_WITHIN = 5_000
/** Milliseconds for which a read is repeated before it is given up. */
const READ_WITHIN = 8_000

/** Everything a read gives, or what is taken of it until `isEnough`; it is cancelled when it takes too long. */
const collect = async <A>(
  read: StreamingRead<ResolvedEvent>,
  take: (event: RecordedEvent) => A | undefined,
  isEnough: (taken: A) => boolean = () => false,
): Promise<readonly A[]> => {
  // Errors also come after the last event was asked for; nobody else listens then.
  read.on('error', () => undefined)
  const late = setTimeout(() => read.destroy(new Error('the event store does not answer')), PAGE_WITHIN)
  const taken: A[] = []
  try {
    for await (const { event } of read) {
      const one = event && take(event)
      if (one === undefined) continue
      taken.push(one)
      if (isEnough(one)) break
    }
    return taken
  } finally {
    clearTimeout(late)
    void read.cancel().catch(() => undefined)
  }
}

/** A page of a stream from a revision on; undefined where there is no such stream. */
export type ReadPage = (
  stream: string,
  from: number,
  count: number,
  direction?: 'forwards' | 'backwards',
) => Promise<readonly RecordedEvent[] | undefined>

/** @param within milliseconds for which a read is repeated */
export const makeReadPage =
  (connection: Connection, within = READ_WITHIN): ReadPage =>
  async (stream, from, count, direction = FORWARDS) => {
    const read = (client: EventStoreDBClient) =>
      collect(
        client.readStream(connection.prefix + stream, {
          fromRevision: direction === BACKWARDS ? END : BigInt(from),
          maxCount: count,
          direction,
          credentials: connection.credentials,
          requiresLeader: true,
        }),
        (event) => event,
      )
    try {
      return await connection.persist(within, read)
    } catch (error) {
      if (faultOf(error) === 'missing') return undefined
      throw toUnavailable(`${stream} cannot be read`, error)
    }
  }

export const makeReadStream = (readPage: ReadPage, { decode }: LogEvents): EventStore['readStream'] =>
  async function* readStream(stream, after) {
    for (let next = Math.max(after, BEGINNING) + 1; ; ) {
      const page = await readPage(stream, next, PAGE)
      if (page === undefined || page.length === 0) return
      yield page.map(decode)
      if (page.length < PAGE) return
      next += page.length
    }
  }

/** The event at a mark, if it is one of ours. */
/** @param as what is made of the event */
export const makeAt =
  <A>(connection: Connection, { isOurs }: LogEvents, as: (event: RecordedEvent) => A) =>
  async (mark: number): Promise<A | undefined> => {
    if (mark <= BEGINNING) return undefined
    const fromPosition = { commit: BigInt(mark), prepare: BigInt(mark) }
    const { credentials } = connection
    const options = { direction: FORWARDS, fromPosition, maxCount: 1, credentials, requiresLeader: true } as const
    const read = (client: EventStoreDBClient) => collect(client.readAll(options), (event) => event)
    try {
      const [event] = await connection.persist(READ_WITHIN, read)
      return event !== undefined && isOurs(event) && markOf(event) === mark ? as(event) : undefined
    } catch (error) {
      if (faultOf(error) === 'nowhere') return undefined
      throw toUnavailable(`the event at ${mark} cannot be read`, error)
    }
  }

/** Milliseconds for which the end of the log is looked for among the events of others. */
const HEAD_WITHIN = 30_000
/** Events looked at for it, at first and then again: names that only begin like ours come through the filter too. */
const LOOKBACK = { first: 1, growth: 64 } as const

/** The events that a filtered read gives. */
const collectEvents = (call: ReadCall): Promise<readonly StoreEvent[]> =>
  new Promise((resolve, reject) => {
    const events: StoreEvent[] = []
    const late = setTimeout(() => call.destroy(new Error('the event store does not answer')), HEAD_WITHIN)
    call
      .on('data', (response) => {
        const event = readEvent(response)
        if (event !== undefined) events.push(event)
      })
      .on('error', reject)
      .on('end', () => resolve(events))
      .on('close', () => clearTimeout(late))
  })

/**
 * The mark of the last event of ours. The node looks back from the end of `$all`, past its own events and those of
 * others, to the event with which the log begins at most.
 */
export const makeHead = (connection: Connection, { prefixes, isOurs }: LogEvents): EventStore['head'] => {
  const logStream = connection.prefix + LOG_STREAM
  const wanted = [...prefixes, logStream]
  const isLast = (event: StoreEvent): boolean =>
    isOurs(event) || (event.streamId === logStream && event.revision === 0n)

  /** The last event of ours or the one with which the log begins, if it is among the last so many. */
  const lookBack = (count: number) => async (client: StoreClient) => {
    const { credentials } = connection
    const events = await collectEvents(
      await client.read(makeLastEventsRequest(wanted, count), { credentials, requiresLeader: true }),
    )
    const last = events.find(isLast)
    // An answer that breaks off without an error is no answer: the event with which the log begins is there.
    if (last === undefined && events.length < count) throw new Error('the event store does not show the log')
    return last
  }

  return async () => {
    try {
      for (let count: number = LOOKBACK.first; ; count *= LOOKBACK.growth) {
        const last = await connection.persist(READ_WITHIN, lookBack(count))
        if (last !== undefined) return isOurs(last) ? markOf(last) : BEGINNING
      }
    } catch (error) {
      throw toUnavailable('the end of the log cannot be read', error)
    }
  }
}

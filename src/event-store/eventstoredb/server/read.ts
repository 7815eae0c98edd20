import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type ReadRevision,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import type { StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../event-store.ts'
import { LOG_STREAM, makeLastEventsRequest, readEvent, type StoreEvent } from './all.ts'
import { type StoreConnection, toUnavailable } from './connection.ts'
import { faultOf } from './faults.ts'
import { type LogEvents, storePositionOf } from './records.ts'
import type { ReadCall, StoreClient } from './store-client.ts'

/** Events per page. */
const PAGE = 256
/** The client itself never times out. */
const PAGE_TIMEOUT_MS = 5_000
/** With retries. */
const READ_TIMEOUT_MS = 8_000

/** Collects a read's events. Cancels it on timeout. */
const collect = async (read: StreamingRead<ResolvedEvent>): Promise<readonly RecordedEvent[]> => {
  // Errors may also arrive after the last event, when nothing else listens.
  read.on('error', () => undefined)
  const late = setTimeout(() => read.destroy(new Error('the event store does not answer')), PAGE_TIMEOUT_MS)
  const events: RecordedEvent[] = []
  try {
    for await (const { event } of read) if (event !== undefined) events.push(event)
    return events
  } finally {
    clearTimeout(late)
    void read.cancel().catch(() => undefined)
  }
}

/** Retries a read. Closing the client ends its reads without an error, as if there were no more events. */
const persistRead = async (
  { persist, checkOpen }: StoreConnection,
  within: number,
  read: (client: EventStoreDBClient) => StreamingRead<ResolvedEvent>,
): Promise<readonly RecordedEvent[]> => {
  const events = await persist(within, (client) => collect(read(client)))
  checkOpen()
  return events
}

/** A page of a stream from a revision on; undefined if the stream does not exist. */
export type ReadPage = (
  stream: string,
  from: number,
  count: number,
  direction?: 'forwards' | 'backwards',
) => Promise<readonly RecordedEvent[] | undefined>

/** @param within milliseconds to retry a read */
export const makeReadPage =
  (connection: StoreConnection, within = READ_TIMEOUT_MS): ReadPage =>
  async (stream, from, count, direction = FORWARDS) => {
    const fromRevision: ReadRevision = direction === BACKWARDS ? END : BigInt(from)
    const options = { fromRevision, maxCount: count, direction, requiresLeader: true }
    try {
      return await persistRead(connection, within, (client) => client.readStream(connection.prefix + stream, options))
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

/**
 * The event at a store position, if it is one of ours.
 *
 * @param as converts the event
 */
export const makeAt =
  <A>(connection: StoreConnection, { isOurs }: LogEvents, as: (event: RecordedEvent) => A) =>
  async (storePosition: StorePosition): Promise<A | undefined> => {
    if (storePosition <= BEGINNING) return undefined
    const fromPosition = { commit: BigInt(storePosition), prepare: BigInt(storePosition) }
    const options = { direction: FORWARDS, fromPosition, maxCount: 1, requiresLeader: true } as const
    try {
      const [event] = await persistRead(connection, READ_TIMEOUT_MS, (client) => client.readAll(options))
      return event !== undefined && isOurs(event) && storePositionOf(event) === storePosition ? as(event) : undefined
    } catch (error) {
      if (faultOf(error) === 'nowhere') return undefined
      throw toUnavailable(`the event at ${storePosition} cannot be read`, error, ' to $all')
    }
  }

/** For searching the end of the log among other applications' events. */
const HEAD_TIMEOUT_MS = 30_000
/**
 * Events requested per attempt: the first, then more each time. Streams whose names only start like ours pass the
 * filter too.
 */
const LOOKBACK = { first: 1, growth: 64 } as const

/** Collects the events of a filtered read. */
const collectEvents = (call: ReadCall): Promise<readonly StoreEvent[]> =>
  new Promise((resolve, reject) => {
    const events: StoreEvent[] = []
    const late = setTimeout(() => call.destroy(new Error('the event store does not answer')), HEAD_TIMEOUT_MS)
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
 * Store position of our last event. The node scans backwards from the end of `$all`, past its own and other
 * applications' events, at most to the event that begins the log.
 */
export const makeHead = (connection: StoreConnection, { prefixes, isOurs }: LogEvents): EventStore['head'] => {
  const logStream = connection.prefix + LOG_STREAM
  const wanted = [...prefixes, logStream]
  const isLast = (event: StoreEvent): boolean =>
    isOurs(event) || (event.streamId === logStream && event.revision === 0n)

  /** Our last event, or the event that begins the log, if it is among the last `count`. */
  const readBack = (count: number) => async (client: StoreClient) => {
    const events = await collectEvents(
      await client.read(makeLastEventsRequest(wanted, count), { requiresLeader: true }),
    )
    const last = events.find(isLast)
    // A truncated response is not an answer: the event that begins the log always exists.
    if (last === undefined && events.length < count)
      throw new Error('the response of the event store does not include the log')
    return last
  }

  return async () => {
    try {
      for (let count: number = LOOKBACK.first; ; count *= LOOKBACK.growth) {
        const last = await connection.persist(READ_TIMEOUT_MS, readBack(count))
        if (last !== undefined) return isOurs(last) ? storePositionOf(last) : BEGINNING
      }
    } catch (error) {
      throw toUnavailable('the end of the log cannot be read', error, ' to $all')
    }
  }
}

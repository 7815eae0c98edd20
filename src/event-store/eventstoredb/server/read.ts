import { setTimeout as delay } from 'node:timers/promises'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../event-store.ts'
import { retryDelay, type StoreConnection, toUnavailable } from './connection.ts'
import { faultOf } from './faults.ts'
import { type LogEvents, storePositionOf } from './records.ts'
import { eventRequest, LOG_STREAM, lastEventsRequest, readEvent, type StoreEvent, streamRequest } from './requests.ts'
import type { ReadCall } from './store-client.ts'

/** Events per page. */
const PAGE = 256
/** The client itself never times out. The end of the log is searched among other applications' events. */
const [PAGE_TIMEOUT_MS, END_TIMEOUT_MS] = [5_000, 30_000]
/** With retries. */
const READ_TIMEOUT_MS = 8_000

/** Collects the events of a read; undefined if its stream does not exist. */
const collect = (call: ReadCall, timeout: number): Promise<readonly StoreEvent[] | undefined> =>
  new Promise((resolve, reject) => {
    const events: StoreEvent[] = []
    let isMissing = false
    const late = setTimeout(() => call.destroy(new Error('the event store does not answer')), timeout)
    call
      .on('data', (response) => {
        isMissing ||= response.hasStreamNotFound()
        const event = readEvent(response)
        if (event !== undefined) events.push(event)
      })
      .on('error', reject)
      .on('end', () => resolve(isMissing ? undefined : events))
      .on('close', () => clearTimeout(late))
  })

/** Reads from the leader, and retries. Throws the client's last error. */
const read = async (
  { persist, checkOpen }: StoreConnection,
  request: streams.ReadReq,
  { within = READ_TIMEOUT_MS, timeout = PAGE_TIMEOUT_MS }: { readonly within?: number; readonly timeout?: number } = {},
): Promise<readonly StoreEvent[] | undefined> => {
  const events = await persist(within, async (client) =>
    collect(await client.read(request, { requiresLeader: true }), timeout),
  )
  // Closing the client may end its reads without an error, as if there were no more events.
  checkOpen()
  return events
}

/** A page of a stream from a revision on; undefined if the stream does not exist. */
export type ReadPage = (stream: string, from: number, count: number) => Promise<readonly StoreEvent[] | undefined>

/** @param within milliseconds to retry a read */
export const makeReadPage =
  (connection: StoreConnection, within = READ_TIMEOUT_MS): ReadPage =>
  async (stream, from, count) => {
    try {
      return await read(connection, streamRequest(connection.prefix + stream, from, count), { within })
    } catch (error) {
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
  <A>(connection: StoreConnection, { isOurs }: LogEvents, as: (event: StoreEvent) => A) =>
  async (storePosition: StorePosition): Promise<A | undefined> => {
    if (storePosition <= BEGINNING) return undefined
    try {
      const [event] = (await read(connection, eventRequest(storePosition))) ?? []
      return event !== undefined && isOurs(event) && storePositionOf(event) === storePosition ? as(event) : undefined
    } catch (error) {
      if (faultOf(error) === 'nowhere') return undefined
      throw toUnavailable(`the event at ${storePosition} cannot be read`, error, ' to $all')
    }
  }

/** Reads the last events in streams with some prefixes, newest first. */
export const readLastEvents = async (
  connection: StoreConnection,
  prefixes: readonly string[],
  count: number,
): Promise<readonly StoreEvent[]> =>
  (await read(connection, lastEventsRequest(prefixes, count), { timeout: END_TIMEOUT_MS })) ?? []

/**
 * Events requested per attempt: the first, then more each time. Streams whose names only start like ours pass the
 * filter too.
 */
const LOOKBACK = { first: 1, growth: 64 } as const

/**
 * Store position of our last event. The node scans backwards from the end of `$all`, past its own and other
 * applications' events, at most to the event that begins the log.
 */
export const makeHead = (connection: StoreConnection, { prefixes, isOurs }: LogEvents): EventStore['head'] => {
  const logStream = connection.prefix + LOG_STREAM
  const isBeginning = ({ streamId, revision }: StoreEvent): boolean => streamId === logStream && revision === 0n

  return async () => {
    const until = performance.now() + READ_TIMEOUT_MS
    try {
      for (let count: number = LOOKBACK.first; ; ) {
        const events = await readLastEvents(connection, [...prefixes, logStream], count)
        const last = events.find((event) => isOurs(event) || isBeginning(event))
        if (last !== undefined) return isOurs(last) ? storePositionOf(last) : BEGINNING
        // A truncated response is no answer and read again: the event that begins the log always exists.
        if (events.length === count) count *= LOOKBACK.growth
        else if (performance.now() > until) throw new Error('the response of the event store does not include the log')
        else await delay(retryDelay(1))
      }
    } catch (error) {
      throw toUnavailable('the end of the log cannot be read', error, ' to $all')
    }
  }
}

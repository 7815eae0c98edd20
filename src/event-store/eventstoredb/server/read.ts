/** Reads of a stream or of `$all`. The client cannot filter reads by the stream's name. */

import { setTimeout as delay } from 'node:timers/promises'
import { jsonEvent, type RecordedEvent } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Logged, NewEvent, Recorded } from '../../../domain/event.ts'
import { canonicalJson } from '../../../domain/values/canonical-json.ts'
import { STREAMS } from '../../../domain/values/ids.ts'
import { type StorePosition, toStorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, type EventStore, type StoredRecord } from '../../event-store.ts'
import { decodeParsed, leafHash, UndecodableEvent } from '../../stored-event.ts'
import { type ReadCall, retryDelay, type StoreConnection, toUnavailable } from './connection.ts'
import { faultOf } from './faults.ts'

/** The stream with the log's id and whether it is complete. Its events are not part of the log. */
export const LOG_STREAM = 'berth-log'

const { Options } = streams.ReadReq

/** Events of other applications a node scans per batch. The default of 32 takes four times as long. */
const SCAN_MAX = 2_048
/** Batches between the node's position reports, which we ignore. */
const CHECKPOINT_EVERY = 1_024
/** The protocol's number for backwards. */
const BACKWARDS = 1

const EMPTY = new shared.Empty()

const withOptions = (options: streams.ReadReq.Options): streams.ReadReq =>
  new streams.ReadReq().setOptions(options.setUuidOption(new Options.UUIDOption().setString(EMPTY)))

const at = (position: number): streams.ReadReq.Options.AllOptions =>
  new Options.AllOptions().setPosition(
    new Options.Position().setCommitPosition(`${position}`).setPreparePosition(`${position}`),
  )

const filterOf = (prefixes: readonly string[]): streams.ReadReq.Options.FilterOptions =>
  new Options.FilterOptions()
    .setStreamIdentifier(new Options.FilterOptions.Expression().setPrefixList([...prefixes]))
    .setMax(SCAN_MAX)
    .setCheckpointintervalmultiplier(CHECKPOINT_EVERY)

/** Events of a stream from a revision on. */
const streamRequest = (stream: string, from: number, count: number): streams.ReadReq => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const one = new Options.StreamOptions().setStreamIdentifier(identifier).setRevision(`${from}`)
  return withOptions(new Options().setStream(one).setCount(`${count}`).setNoFilter(EMPTY))
}

/** The event at a position of `$all`. */
const eventRequest = (position: number): streams.ReadReq =>
  withOptions(new Options().setAll(at(position)).setCount('1').setNoFilter(EMPTY))

/** The last events in streams with these prefixes, newest first. */
const lastEventsRequest = (prefixes: readonly string[], count: number): streams.ReadReq => {
  const all = new Options.AllOptions().setEnd(EMPTY)
  const options = new Options().setAll(all).setFilter(filterOf(prefixes)).setCount(`${count}`)
  return withOptions(options.setReadDirection(BACKWARDS))
}

/** Every event in streams with these prefixes after a position, including future ones. */
export const subscriptionRequest = (prefixes: readonly string[], after: number): streams.ReadReq => {
  const all = after === BEGINNING ? new Options.AllOptions().setStart(EMPTY) : at(after)
  const options = new Options().setAll(all).setFilter(filterOf(prefixes))
  return withOptions(options.setSubscription(new Options.SubscriptionOptions()))
}

/** The parts of an event that the log uses. */
export type StoreEvent = Pick<RecordedEvent, 'streamId' | 'revision' | 'id' | 'type' | 'data' | 'metadata' | 'position'>

/** Parsed JSON, or the text itself, which no event of ours is. */
const parseJson = (bytes: Uint8Array): RecordedEvent['data'] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The event in a response, if it contains one. */
export const readEvent = (response: streams.ReadResp): StoreEvent | undefined => {
  const event = response.getEvent()?.getEvent()
  if (event === undefined) return undefined
  const name = event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()
  const metadata = event.getCustomMetadata_asU8()
  return {
    streamId: Buffer.from(name).toString(),
    revision: BigInt(event.getStreamRevision()),
    id: event.getId()?.getString() ?? '',
    type: event.getMetadataMap().get('type') ?? '',
    data: parseJson(event.getData_asU8()),
    metadata: metadata.length === 0 ? undefined : parseJson(metadata),
    position: { commit: BigInt(event.getCommitPosition()), prepare: BigInt(event.getPreparePosition()) },
  }
}

/** Events as plain JSON with our own field names, for other readers of the streams. */
export const toClient = ({ id, type, data, metadata }: NewEvent) => jsonEvent({ id, type, data, metadata })

/** Store position: the commit position in `$all`. 2^53 bytes are nine petabytes. */
export const storePositionOf = ({ streamId, revision, position }: StoreEvent): StorePosition => {
  // Only transactions, deprecated since version 20, have a commit position after their events.
  if (position === undefined || position.commit !== position.prepare || position.commit > Number.MAX_SAFE_INTEGER) {
    throw new UndecodableEvent(`${streamId}@${revision}: its position is not supported`)
  }
  return toStorePosition(Number(position.commit))
}

export type LogEvents = ReturnType<typeof makeLogEvents>

/**
 * Recognises and decodes the events of one log in `$all`.
 *
 * @param prefix prefix of the stream names, not part of the recorded name
 */
export const makeLogEvents = (prefix: string) => {
  // Includes streams not used yet, so that events written there by another version are not skipped.
  const prefixes = STREAMS.prefixes.map((each) => prefix + each)
  const names: ReadonlySet<string> = new Set(STREAMS.names.map((each) => prefix + each))
  const toParsed = ({ streamId, revision, id, type, data, metadata }: StoreEvent) => ({
    data,
    id,
    metadata,
    revision: Number(revision),
    stream: streamId.slice(prefix.length),
    type,
  })
  return {
    /** Prefixes of its stream names. */
    prefixes: [...prefixes, ...names],
    isOurs: ({ streamId }: StoreEvent): boolean =>
      prefixes.some((each) => streamId.startsWith(each)) || names.has(streamId),
    /** @throws UndecodableEvent `stream@revision: /path: why` */
    decode: (event: StoreEvent): Recorded => decodeParsed(toParsed(event), storePositionOf(event)),
    /** @throws UndecodableEvent `stream@revision: /path: why` */
    toLogged: (event: StoreEvent): Logged => {
      const all = toParsed(event)
      return { ...decodeParsed(all, storePositionOf(event)), leaf: new Uint8Array(leafHash(canonicalJson(all))) }
    },
    /** The raw event, converted to its RFC 8785 form, whatever its JSON formatting. */
    toStoredRecord: (event: StoreEvent): StoredRecord => ({
      storePosition: storePositionOf(event),
      text: canonicalJson(toParsed(event)),
    }),
  }
}

/** Events per page. */
const PAGE_SIZE = 256
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

/** Reads one log. @param readPage reads a page of a stream */
export const makeStoreReader = (
  connection: StoreConnection,
  { prefixes, isOurs, decode, toLogged, toStoredRecord }: LogEvents,
  readPage: ReadPage,
): Pick<EventStore, 'at' | 'recordAt' | 'readStream' | 'head'> => {
  const logStream = connection.prefix + LOG_STREAM
  const isBeginning = ({ streamId, revision }: StoreEvent): boolean => streamId === logStream && revision === 0n

  const eventAt = async (storePosition: StorePosition): Promise<StoreEvent | undefined> => {
    if (storePosition <= BEGINNING) return undefined
    try {
      const [event] = (await read(connection, eventRequest(storePosition))) ?? []
      return event !== undefined && isOurs(event) && storePositionOf(event) === storePosition ? event : undefined
    } catch (error) {
      if (faultOf(error) === 'nowhere') return undefined
      throw toUnavailable(`the event at ${storePosition} cannot be read`, error, ' to $all')
    }
  }

  return {
    at: (storePosition) => eventAt(storePosition).then((event) => event && toLogged(event)),
    recordAt: (storePosition) => eventAt(storePosition).then((event) => event && toStoredRecord(event)),
    async *readStream(stream, after) {
      for (let next = Math.max(after, BEGINNING) + 1; ; ) {
        const page = await readPage(stream, next, PAGE_SIZE)
        if (page === undefined || page.length === 0) return
        yield page.map(decode)
        if (page.length < PAGE_SIZE) return
        next += page.length
      }
    },
    /**
     * The node scans backwards from the end of `$all`, past its own and other applications' events, at most to the event
     * that begins the log.
     */
    head: async () => {
      const until = performance.now() + READ_TIMEOUT_MS
      try {
        for (let count: number = LOOKBACK.first; ; ) {
          const events = await readLastEvents(connection, [...prefixes, logStream], count)
          const last = events.find((event) => isOurs(event) || isBeginning(event))
          if (last !== undefined) return isOurs(last) ? storePositionOf(last) : BEGINNING
          // A truncated response is no answer and read again: the event that begins the log always exists.
          if (events.length === count) count *= LOOKBACK.growth
          else if (performance.now() > until)
            throw new Error('the response of the event store does not include the log')
          else await delay(retryDelay(1))
        }
      } catch (error) {
        throw toUnavailable('the end of the log cannot be read', error, ' to $all')
      }
    },
  }
}

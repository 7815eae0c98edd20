import type { RecordedEvent } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { BEGINNING } from '../../event-store.ts'

/** Requests that read a stream or `$all`, and their responses. The client cannot filter reads by the stream's name. */

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
export const streamRequest = (stream: string, from: number, count: number): streams.ReadReq => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const one = new Options.StreamOptions().setStreamIdentifier(identifier).setRevision(`${from}`)
  return withOptions(new Options().setStream(one).setCount(`${count}`).setNoFilter(EMPTY))
}

/** The event at a position of `$all`. */
export const eventRequest = (position: number): streams.ReadReq =>
  withOptions(new Options().setAll(at(position)).setCount('1').setNoFilter(EMPTY))

/** The last events in streams with these prefixes, newest first. */
export const lastEventsRequest = (prefixes: readonly string[], count: number): streams.ReadReq => {
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

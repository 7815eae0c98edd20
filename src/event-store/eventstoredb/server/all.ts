import type { RecordedEvent } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { BEGINNING } from '../../event-store.ts'

/** Requests that read `$all` filtered by stream name prefix, and their responses. */

/** The stream with the log's id and whether it is complete. Its events are not part of the log. */
export const LOG_STREAM = 'berth-log'

const { Options } = streams.ReadReq

/** Events of other applications a node scans per batch. The default of 32 takes four times as long. */
const SCAN_MAX = 2_048
/** Batches between the node's position reports, which we ignore. */
const CHECKPOINT_EVERY = 1_024

const EMPTY = new shared.Empty()

const makeRequest = (
  prefixes: readonly string[],
  from: number | 'end',
  fill: (options: streams.ReadReq.Options) => void,
) => {
  const names = new Options.FilterOptions.Expression().setPrefixList([...prefixes])
  const filter = new Options.FilterOptions().setStreamIdentifier(names).setMax(SCAN_MAX)
  const all = new Options.AllOptions()
  if (from === 'end') all.setEnd(EMPTY)
  else if (from === BEGINNING) all.setStart(EMPTY)
  else all.setPosition(new Options.Position().setCommitPosition(`${from}`).setPreparePosition(`${from}`))
  const options = new Options()
    .setAll(all)
    .setFilter(filter.setCheckpointintervalmultiplier(CHECKPOINT_EVERY))
    .setUuidOption(new Options.UUIDOption().setString(EMPTY))
  fill(options)
  return new streams.ReadReq().setOptions(options)
}

/** Every event after a store position, including future ones. */
export const makeSubscription = (prefixes: readonly string[], after: number): streams.ReadReq =>
  makeRequest(prefixes, after, (options) => options.setSubscription(new Options.SubscriptionOptions()))

/** The last events, newest first. */
export const makeLastEventsRequest = (prefixes: readonly string[], count: number): streams.ReadReq =>
  makeRequest(prefixes, 'end', (options) => options.setCount(`${count}`).setReadDirection(1))

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

import type { RecordedEvent } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { BEGINNING } from '../../event-store.ts'

/** Requests to read `$all` by the beginnings of stream names, and the events that answer them. */

/** The stream that says which log this is, and whether it is whole; its events are none of the log's. */
export const LOG_STREAM = 'berth-log'

const { Options } = streams.ReadReq

/** Events of others that a node looks through at a time. By default it is 32, which takes four times as long. */
const SCAN_MAX = 2_048
/** The node says where it is each time it has looked through so many of those, which nobody here wants to know. */
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

/** Every event behind a mark, also those that are still to come. */
export const makeSubscription = (prefixes: readonly string[], after: number): streams.ReadReq =>
  makeRequest(prefixes, after, (options) => options.setSubscription(new Options.SubscriptionOptions()))

/** The last events, the last one first. */
export const makeLastEventsRequest = (prefixes: readonly string[], count: number): streams.ReadReq =>
  makeRequest(prefixes, 'end', (options) => options.setCount(`${count}`).setReadDirection(1))

/** What of an event the log is made of. */
export type StoreEvent = Pick<RecordedEvent, 'streamId' | 'revision' | 'id' | 'type' | 'data' | 'metadata' | 'position'>

/** JSON as it was parsed; anything else as text, which no event of ours is. */
const parseJson = (bytes: Uint8Array): RecordedEvent['data'] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The event that a node sends, if what it sends is one. */
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

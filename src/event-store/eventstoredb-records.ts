import { jsonEvent, type RecordedEvent } from '@eventstore/db-client'
import { canonicalJson } from '../domain/canonical-json.ts'
import type { NewEvent, Recorded } from '../domain/event.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../domain/ids.ts'
import type { StoredRecord } from './event-store.ts'
import { decodeParsed, UndecodableEvent } from './stored-event.ts'

/** Events as the client has them: as plain JSON, in the interface's own field names, for whatever else reads the streams. */

/** What the names of all streams of events begin with. */
export const PREFIXES: readonly string[] = [sutStream(''), LISTEN_PORTS_STREAM]

export const isOurs = (stream: string): boolean => stream === LISTEN_PORTS_STREAM || stream.startsWith(sutStream(''))

export const toClient = ({ id, type, data, metadata }: NewEvent) => jsonEvent({ id, type, data, metadata })

/** Its place in `$all`: the commit position. A log of 2^53 bytes is nine petabytes. */
export const markOf = ({ streamId, revision, position }: RecordedEvent): number => {
  // Only transactions, which nobody has begun since version 20, put a commit behind its events.
  if (position === undefined || position.commit !== position.prepare || position.commit > Number.MAX_SAFE_INTEGER) {
    throw new UndecodableEvent(`${streamId}@${revision}: it has no position that can be kept`)
  }
  return Number(position.commit)
}

/** As it lies in the store, whatever that is: JSON has one RFC 8785 form, however it was written. */
export const asItLies = (event: RecordedEvent): StoredRecord => {
  const { streamId: stream, revision, id, type, data, metadata } = event
  return {
    mark: markOf(event),
    text: canonicalJson({ data, id, metadata, revision: Number(revision), stream, type }),
  }
}

/** @throws UndecodableEvent `stream@revision: /path: why` */
export const fromClient = (event: RecordedEvent): Recorded => {
  const { streamId, revision, id, type, data, metadata } = event
  return decodeParsed({ stream: streamId, revision: Number(revision), id, type, data, metadata }, markOf(event))
}

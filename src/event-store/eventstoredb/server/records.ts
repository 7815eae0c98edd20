import { jsonEvent } from '@eventstore/db-client'
import type { Logged, NewEvent, Recorded } from '../../../domain/event.ts'
import { canonicalJson } from '../../../domain/values/canonical-json.ts'
import { STREAMS } from '../../../domain/values/ids.ts'
import type { StoredRecord } from '../../event-store.ts'
import { decodeParsed, leafHash, UndecodableEvent } from '../../stored-event.ts'
import type { StoreEvent } from './all.ts'

/** Events as the client has them: as plain JSON, in the interface's own field names, for whatever else reads the streams. */
export const toClient = ({ id, type, data, metadata }: NewEvent) => jsonEvent({ id, type, data, metadata })

/** Its place in `$all`: the commit position. A log of 2^53 bytes is nine petabytes. */
export const markOf = ({ streamId, revision, position }: StoreEvent): number => {
  // Only transactions, which nobody has begun since version 20, put a commit behind its events.
  if (position === undefined || position.commit !== position.prepare || position.commit > Number.MAX_SAFE_INTEGER) {
    throw new UndecodableEvent(`${streamId}@${revision}: it has no position that can be kept`)
  }
  return Number(position.commit)
}

/** How the events of one log are told from others' in `$all`, and read. */
export interface LogEvents {
  /** What the names of all its streams begin with. */
  readonly prefixes: string[]
  readonly isOurs: (event: StoreEvent) => boolean
  /** @throws UndecodableEvent `stream@revision: /path: why` */
  readonly decode: (event: StoreEvent) => Recorded
  /** @throws UndecodableEvent `stream@revision: /path: why` */
  readonly toLogged: (event: StoreEvent) => Logged
  /** As it lies in the store, whatever that is: JSON has one RFC 8785 form, however it was written. */
  readonly toStoredRecord: (event: StoreEvent) => StoredRecord
}

/** @param prefix what the names of the streams begin with, which is no part of what is recorded */
export const makeLogEvents = (prefix: string): LogEvents => {
  // Those that nothing is written to yet as well: what another version writes there is met, and not passed over.
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
    prefixes: [...prefixes, ...names],
    isOurs: ({ streamId }) => prefixes.some((each) => streamId.startsWith(each)) || names.has(streamId),
    decode: (event) => decodeParsed(toParsed(event), markOf(event)),
    toLogged: (event) => {
      const all = toParsed(event)
      return { ...decodeParsed(all, markOf(event)), leaf: new Uint8Array(leafHash(canonicalJson(all))) }
    },
    toStoredRecord: (event) => ({ mark: markOf(event), text: canonicalJson(toParsed(event)) }),
  }
}

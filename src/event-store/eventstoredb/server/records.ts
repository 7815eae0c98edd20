import { jsonEvent } from '@eventstore/db-client'
import type { Logged, NewEvent, Recorded } from '../../../domain/event.ts'
import { canonicalJson } from '../../../domain/values/canonical-json.ts'
import { STREAMS } from '../../../domain/values/ids.ts'
import { type StorePosition, toStorePosition } from '../../../domain/values/position.ts'
import type { StoredRecord } from '../../event-store.ts'
import { decodeParsed, leafHash, UndecodableEvent } from '../../stored-event.ts'
import type { StoreEvent } from './requests.ts'

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

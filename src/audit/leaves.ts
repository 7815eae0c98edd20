import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import { BEGINNING, type EventStore, type StoredRecord } from '../event-store/event-store.ts'
import { leafHash } from '../event-store/stored-event.ts'

/** Reads the whole log: each raw event with its public position and leaf hash. */
export async function* readLeaves(
  store: Pick<EventStore, 'records'>,
  onProgress: (events: number) => void = () => undefined,
): AsyncGenerator<{ readonly position: PublicPosition; readonly record: StoredRecord; readonly leaf: Uint8Array }> {
  let next = 0
  for await (const page of store.records(BEGINNING)) {
    for (const record of page) yield { position: toPublicPosition(next++), record, leaf: leafHash(record.text) }
    onProgress(next)
  }
}

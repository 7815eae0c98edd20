import type { EventStore, StoredRecord } from '../event-store/event-store.ts'
import { leafHash } from '../event-store/stored-event.ts'

/** Reads the whole log: each raw event with its public position and leaf hash. */
export async function* readLeaves(
  store: Pick<EventStore, 'records'>,
  onProgress: (events: number) => void = () => undefined,
): AsyncGenerator<{ readonly position: number; readonly record: StoredRecord; readonly leaf: Uint8Array }> {
  let position = 0
  for await (const page of store.records(-1)) {
    for (const record of page) yield { position: position++, record, leaf: leafHash(record.text) }
    onProgress(position)
  }
}

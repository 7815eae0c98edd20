import type { Config } from '../../config/config.ts'
import { toStorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore, type StoredRecord } from '../../event-store/event-store.ts'
import type { Terminal } from '../terminal/command.ts'
import type { Total } from '../terminal/progress.ts'

/**
 * Reads a log, and counts its events for the progress on a terminal. The embedded store has the number. For an EventStoreDB it
 * is estimated from store positions, which grow with the bytes of the log.
 *
 * @param first position to read from, in the embedded store
 */
export const openLogReader = async (
  store: EventStore,
  { eventStore }: Config,
  { isWatched }: Pick<Terminal, 'isWatched'>,
  first = 0,
) => {
  const after = toStorePosition(BEGINNING + first)
  if (!isWatched) return { records: () => store.records(after), total: (): Total => undefined }
  const head = await store.head()
  if (eventStore.kind === 'sqlite') return { records: () => store.records(after), total: (): Total => head + 1 }
  let reached = BEGINNING
  const records = async function* (): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of store.records(BEGINNING)) {
      reached = page.at(-1)?.storePosition ?? reached
      yield page
    }
  }
  /** Called while `records` are read, with the events read so far. */
  const total = (done: number): Total =>
    reached <= 0 || done === 0 ? undefined : { about: Math.max(done, Math.round((done * head) / reached)) }
  return { records, total }
}

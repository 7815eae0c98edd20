import type { Config } from '../../config/config.ts'
import { toStorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore, type StoredRecord } from '../../event-store/event-store.ts'
import type { Terminal } from '../terminal/command.ts'
import type { Total } from '../terminal/progress.ts'

/** Reads a log and knows how many events it has. */
export interface LogReader {
  readonly records: () => AsyncIterable<readonly StoredRecord[]>
  /** Called while `records` are read, with the events read so far. */
  readonly total: (done: number) => Total
}

/**
 * Counts the events of a log for the progress on a terminal. The embedded store has the number. For an EventStoreDB it
 * is estimated from store positions, which grow with the bytes of the log.
 *
 * @param first position to read from, in the embedded store
 */
export const openLogReader = async (
  store: EventStore,
  { eventStore }: Config,
  { isWatched }: Pick<Terminal, 'isWatched'>,
  first = 0,
): Promise<LogReader> => {
  const after = toStorePosition(BEGINNING + first)
  if (!isWatched) return { records: () => store.records(after), total: () => undefined }
  const head = await store.head()
  if (eventStore.kind === 'sqlite') return { records: () => store.records(after), total: () => head + 1 }
  let reached = BEGINNING
  const records = async function* (): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of store.records(BEGINNING)) {
      reached = page.at(-1)?.storePosition ?? reached
      yield page
    }
  }
  const total = (done: number): Total =>
    reached <= 0 || done === 0 ? undefined : { about: Math.max(done, Math.round((done * head) / reached)) }
  return { records, total }
}

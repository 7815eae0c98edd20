import type { Config } from '../../app/config/config.ts'
import { toStorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore, type StoredRecord } from '../../event-store/event-store.ts'
import type { Terminal } from '../terminal/command.ts'
import { makeProgress, type Total } from '../terminal/progress.ts'

/**
 * Reads a log, and shows the progress on a terminal. The embedded store has the number of events. For an EventStoreDB it
 * is estimated from store positions, which grow with the bytes of the log.
 *
 * @param first position to read from, in the embedded store
 */
export const openLogReader = async (store: EventStore, { eventStore }: Config, terminal: Terminal, first = 0) => {
  const progress = makeProgress(terminal)
  const head = terminal.isWatched ? await store.head() : BEGINNING
  let reached = BEGINNING
  const totalOf = (done: number): Total => {
    if (eventStore.kind === 'sqlite') return head + 1
    return reached <= 0 || done === 0 ? undefined : { about: Math.max(done, Math.round((done * head) / reached)) }
  }
  return {
    records: async function* (): AsyncGenerator<readonly StoredRecord[]> {
      for await (const page of store.records(toStorePosition(BEGINNING + first))) {
        reached = page.at(-1)?.storePosition ?? reached
        yield page
      }
    },
    /** To be called while `records` are read, with the events read so far. */
    onProgress: (done: number): void => progress.show(done, totalOf(done)),
    endProgress: progress.end,
  }
}

import { BEGINNING } from '../event-store.ts'
import { type Reader, withReadErrors } from './read.ts'

/**
 * Wraps a reader in a process other than the writer, whose sync may be deferred. Syncs before returning, so that
 * everything returned is on disk. Skips the sync for events known to be synced.
 *
 * @param last position of the log's last event
 */
export const durableReader = (reader: Reader, last: () => number, sync: () => void): Reader => {
  let known = BEGINNING
  const synced = <A>(read: A, upTo = Number.POSITIVE_INFINITY): A => {
    if (upTo <= known) return read
    withReadErrors(() => {
      const shown = last()
      sync()
      known = shown
    })
    return read
  }
  const pages = async function* <A extends { readonly mark: number }>(read: AsyncIterable<readonly A[]>) {
    for await (const page of read) yield synced(page, page.at(-1)?.mark ?? BEGINNING)
  }
  return {
    at: async (mark) => synced(await reader.at(mark), mark),
    recordAt: async (mark) => synced(await reader.recordAt(mark), mark),
    readStream: (stream, after) => pages(reader.readStream(stream, after)),
    records: (after) => pages(reader.records(after)),
    async *subscribe(after, signal) {
      for await (const batch of reader.subscribe(after, signal)) {
        yield synced(batch, batch.events.at(-1)?.mark ?? BEGINNING)
      }
    },
    head: async () => synced(await reader.head()),
    readSecrets: async (...owners) => synced(await reader.readSecrets(...owners)),
    secretsSealedWith: async (...page) => synced(await reader.secretsSealedWith(...page)),
  }
}

import type { StorePosition } from '../../domain/values/position.ts'
import { BEGINNING } from '../event-store.ts'
import { type Reader, withReadErrors } from './read.ts'

/**
 * Wraps a reader in a process other than the writer, whose sync may be deferred. Syncs before returning, so that
 * everything returned is on disk. Skips the sync for events known to be synced.
 *
 * @param last position of the log's last event
 */
export const durableReader = (reader: Reader, last: () => StorePosition, sync: () => void): Reader => {
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
  const pages = async function* <A extends { readonly storePosition: StorePosition }>(
    read: AsyncIterable<readonly A[]>,
  ) {
    for await (const page of read) yield synced(page, page.at(-1)?.storePosition ?? BEGINNING)
  }
  return {
    at: async (storePosition) => synced(await reader.at(storePosition), storePosition),
    recordAt: async (storePosition) => synced(await reader.recordAt(storePosition), storePosition),
    readStream: (stream, after) => pages(reader.readStream(stream, after)),
    records: (after) => pages(reader.records(after)),
    async *subscribe(after, signal) {
      for await (const batch of reader.subscribe(after, signal)) {
        yield synced(batch, batch.events.at(-1)?.storePosition ?? BEGINNING)
      }
    },
    head: async () => synced(await reader.head()),
    readSecrets: async (...owners) => synced(await reader.readSecrets(...owners)),
    secretsSealedWith: async (...page) => synced(await reader.secretsSealedWith(...page)),
  }
}

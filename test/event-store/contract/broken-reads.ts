import type { Recorded } from '../../../src/domain/event.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { EventStore, StoredRecord } from '../../../src/event-store/event-store.ts'
import { readAll } from '../new-events.ts'
import { always } from './broken-store.ts'
import type { Break } from './contract.ts'

/** Stores with broken reads, or that lose data when reopened. */

const reading = (deliver: (event: Recorded) => readonly Recorded[]): Break =>
  always((store) => ({
    async *readStream(stream, after) {
      for await (const page of store.readStream(stream, after)) yield page.flatMap(deliver)
    },
  }))

export const readsStreamsWithAGap = reading((event) => (event.revision === 1 ? [] : [event]))

export const readsStreamsTwice = reading((event) => (event.revision === 1 ? [event, event] : [event]))

export const readsOtherRevisions = reading((event) => [{ ...event, revision: event.revision + 1 }])

export const readsFromTheBeginning = always((store) => ({ readStream: (stream) => store.readStream(stream, -1) }))

export const failsWithoutAStream = always((store) => ({
  async *readStream(stream, after) {
    let isThere = false
    for await (const page of store.readStream(stream, after)) {
      isThere = true
      yield page
    }
    if (!isThere) throw new Error('no such stream')
  },
}))

/** Breaks the store only after it is reopened. */
const reopened = (change: (store: EventStore) => Partial<EventStore>): Break => {
  return () => {
    let opened = 0
    return (store) => (opened++ === 0 ? store : { ...store, ...change(store) })
  }
}

export const forgetsTheLastEvent = reopened((store) => ({
  async *readStream(stream, after) {
    yield (await readAll(store, stream, after)).slice(0, -1)
  },
}))

export const forgetsItsId = reopened(() => ({ logId: 'f'.repeat(24) }))

export const forgetsSecrets = reopened(() => ({ readSecrets: async () => [] }))

const lying = (give: (record: StoredRecord, isLast: boolean) => readonly StoredRecord[]): Break =>
  always((store) => ({
    async *records(after) {
      const end = await store.head()
      for await (const page of store.records(after))
        yield page.flatMap((record) => give(record, record.storePosition === end))
    },
  }))

export const changesWhiteSpace = lying((record) => [
  { ...record, text: JSON.stringify(JSON.parse(record.text), undefined, 1) },
])

export const omitsTheLastRecord = lying((record, isLast) => (isLast ? [] : [record]))

export const returnsThePreviousEvent = always((store) => ({
  at: (storePosition) => store.at(toStorePosition(storePosition - 1)),
}))

export const returnsThePreviousRecord = always((store) => ({
  recordAt: (storePosition) => store.recordAt(toStorePosition(storePosition - 1)),
}))

export const returnsTheLastForNone = always((store) => ({
  at: async (storePosition) => (await store.at(storePosition)) ?? store.at(await store.head()),
}))

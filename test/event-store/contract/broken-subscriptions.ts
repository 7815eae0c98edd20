import type { Logged } from '../../../src/domain/event.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { type Batch, BEGINNING } from '../../../src/event-store/event-store.ts'
import { always } from './broken-store.ts'
import type { Break } from './contract.ts'

/** Stores with broken subscriptions. */

const subscribing = (change: (batches: AsyncIterable<Batch>) => AsyncGenerator<Batch>): Break =>
  always((store) => ({ subscribe: (after, signal) => change(store.subscribe(after, signal)) }))

/** Changes each event of a subscription; `index` counts from the first event. */
const delivering = (deliver: (event: Logged, index: number) => readonly Logged[]): Break =>
  subscribing(async function* (batches) {
    let index = 0
    for await (const { events, caughtUp } of batches) {
      yield { events: events.flatMap((event) => deliver(event, index++)), caughtUp }
    }
  })

export const dropsAnEvent = delivering((event, index) => (index === 1 ? [] : [event]))

export const repeatsAnEvent = delivering((event, index) => (index === 1 ? [event, event] : [event]))

export const startsLate = delivering((event, index) => (index === 0 ? [] : [event]))

export const returnsDecreasingPositions = delivering((event, index) => [
  { ...event, storePosition: toStorePosition(1000 - index) },
])

export const altersEvents = delivering((event) => [{ ...event, metadata: { ...event.metadata, reason: 'why not' } }])

export const startsWithThePosition = always((store) => ({
  async *subscribe(after, signal) {
    for await (const { events, caughtUp } of store.subscribe(BEGINNING, signal)) {
      yield { events: events.filter(({ storePosition }) => storePosition >= after), caughtUp }
    }
  },
}))

export const neverReportsCaughtUp = subscribing(async function* (batches) {
  for await (const { events } of batches) yield { events, caughtUp: false }
})

export const overstatesAhead = subscribing(async function* (batches) {
  for await (const batch of batches) yield { ...batch, ahead: 1 + (batch.ahead ?? 0) }
})

export const reportsCaughtUpTooEarly = subscribing(async function* (batches) {
  yield { events: [], caughtUp: true }
  yield* batches
})

export const reportsCaughtUpAfterEachPage = subscribing(async function* (batches) {
  for await (const { events } of batches) yield { events, caughtUp: true }
})

export const missesALiveEvent = subscribing(async function* (batches) {
  let missed = false
  let isLive = false
  for await (const { events, caughtUp } of batches) {
    const misses: boolean = isLive && !missed && events.length > 0
    missed ||= misses
    isLive ||= caughtUp
    yield { events: misses ? events.slice(1) : events, caughtUp }
  }
})

export const ignoresAbort = always((store) => ({
  subscribe: (after) => store.subscribe(after, new AbortController().signal),
}))

export const ignoresAbortWhileWaiting = always((store) => ({
  async *subscribe(after, signal) {
    if (signal.aborted) return
    for await (const batch of store.subscribe(after, new AbortController().signal)) {
      yield batch
      if (signal.aborted) return
    }
  },
}))

export const failsWhenAborted = always((store) => ({
  async *subscribe(after, signal) {
    yield* store.subscribe(after, signal)
    signal.throwIfAborted()
  },
}))

/** Reads ahead of its consumer and keeps only the newest events. */
export const overflows = subscribing(async function* (batches) {
  const buffer: Logged[] = []
  const readAhead = async (): Promise<void> => {
    for await (const { events } of batches) buffer.splice(0, buffer.push(...events) - 100)
  }
  let isOver = false
  void readAhead().then(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise(setImmediate)
    yield { events: buffer.splice(0), caughtUp: true }
  }
})

export const returnsAnOldHead = always(() => ({ head: async () => BEGINNING }))

import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { Recorded } from '../../../src/domain/event.ts'
import type { Batch } from '../../../src/event-store/event-store.ts'
import { anEvent, append, aStream, assertSame, idsOf, interleave, logged, readAll, readLog } from '../new-events.ts'
import * as broken from './broken-subscriptions.ts'
import type { Law } from './contract.ts'

/** What comes of a promise in so many milliseconds; a failure of the law where nothing does. */
const within = async <A>(patience: number, what: string, promise: Promise<A>): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new assert.AssertionError({ message: `still waiting for ${what}` })), patience)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Follows the log until `enough` events are there. */
const follow = async (
  batches: AsyncIterable<Pick<Batch, 'events' | 'ahead'>>,
  enough: number,
  onBatch: (ahead: number | undefined, seen: number) => void = () => undefined,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  if (enough === 0) return events
  for await (const batch of batches) {
    events.push(...batch.events)
    onBatch(batch.ahead, events.length)
    if (events.length >= enough) break
  }
  return events
}

const everyPosition: Law = {
  title: 'a subscription gives exactly the rest of the log in order from every mark, and says when that was all',
  check: async ({ store }, patience) => {
    const from = await store.head()
    const ids = await interleave(store, [aStream(), aStream(), aStream()], 20)
    const log = await within(patience, 'the end of the log', readLog(store, from))
    assert.deepEqual(idsOf(log), ids)
    const marks = log.map(({ mark }) => mark)
    assert.deepEqual(
      marks,
      [...new Set(marks)].toSorted((a, b) => a - b),
      'marks grow along the log',
    )
    assert.equal(await store.head(), marks.at(-1))
    for (const [index, mark] of marks.entries()) {
      const rest = await within(patience, 'the end of the log', readLog(store, mark))
      assert.deepEqual(rest, log.slice(index + 1))
    }
    const all = await within(patience, 'the end of the log', readLog(store, -1))
    assert.deepEqual(all.slice(-log.length), log)
  },
  brokenBy: {
    'drops an event': broken.dropsAnEvent,
    'repeats an event': broken.repeatsAnEvent,
    'starts with the event of the mark': broken.startsWithTheMark,
    'starts late': broken.startsLate,
    'gives falling marks': broken.countsMarksAnew,
    'never says so': broken.neverSaysCaughtUp,
    'says so too soon': broken.saysCaughtUpTooSoon,
    'has an old head': broken.hasAnOldHead,
  },
}

const live: Law = {
  title: 'after catching up a subscription goes on with every event as it comes, the same as it is read back',
  check: async ({ store }, patience) => {
    const from = await store.head()
    const streams = [aStream(), aStream()]
    const before = await interleave(store, streams, 6)
    const batches = store.subscribe(from, new AbortController().signal)[Symbol.asyncIterator]()
    const events: Recorded[] = []
    for (let caughtUp = false; !caughtUp; ) {
      const { value } = await within(patience, 'the end of the log', batches.next())
      events.push(...value.events)
      caughtUp = value.caughtUp
    }
    assert.deepEqual(idsOf(events), before)
    const rest = follow({ [Symbol.asyncIterator]: () => batches }, 9)
    const after = await interleave(store, streams, 6)
    events.push(...(await within(patience, 'live events', rest)))
    assert.deepEqual(idsOf(events), [...before, ...after])
    for (const stream of streams) {
      const ofStream = events.filter((event) => event.stream === stream)
      assert.deepEqual(ofStream, (await readAll(store, stream)).map(logged))
    }
  },
  brokenBy: {
    'misses the first live event': broken.missesALiveEvent,
    'repeats an event': broken.repeatsAnEvent,
    'alters events': broken.altersEvents,
  },
}

const abort: Law = {
  title: 'a subscription ends without an error when it is aborted, waiting or not',
  check: async ({ store }, patience) => {
    const from = await store.head()
    await interleave(store, [aStream()], 3)
    const abortions = [AbortSignal.abort(), AbortSignal.timeout(5), new AbortController().signal]
    for (const [index, signal] of abortions.entries()) {
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      const ended = (async () => {
        for await (const { caughtUp } of store.subscribe(from, either)) {
          assert.notEqual(index, 0, 'something came although it was aborted before')
          if (caughtUp && index === 2) controller.abort()
        }
      })()
      await assert.doesNotReject(within(patience, 'the end of an aborted subscription', ended))
    }
  },
  brokenBy: {
    'does not look at the signal': broken.ignoresAbort,
    'does not look at it while waiting': broken.ignoresAbortWhileWaiting,
    'fails when aborted': broken.failsWhenAborted,
  },
}

const slow: Law = {
  title:
    'a subscriber slower than 3,000 events coming in gets each once, as it is read back, and is told how many are left',
  check: async ({ store }, patience) => {
    const from = await store.head()
    const stream = aStream()
    const batches = store.subscribe(from, new AbortController().signal)[Symbol.asyncIterator]()
    await within(patience, 'the first batch', batches.next())
    const events = Array.from({ length: 3000 }, (_, n) => anEvent(stream, n % 3 === 0 ? `Prüfung ${n}` : `check ${n}`))
    for (let index = 0; index < 3000; index += 50) {
      assert.ok(E.isRight(await append(store, stream, index - 1, events.slice(index, index + 50))))
    }
    const all = follow({ [Symbol.asyncIterator]: () => batches }, events.length, (ahead, taken) => {
      const left = events.length - taken
      assert.equal(ahead ?? left, left, 'as many follow as are said to')
    })
    // All of it at once: a store that gives nothing again and again keeps nobody waiting for the next batch.
    const seen = await within(patience, '3,000 events', all)
    assertSame(idsOf(seen), idsOf(events), 'the events of the subscription')
    assertSame(seen, (await readAll(store, stream)).map(logged), 'the events as they are read back')
  },
  brokenBy: {
    'drops what does not fit its buffer': broken.overflows,
    'alters events': broken.altersEvents,
    'says that more are left': broken.countsOneMore,
  },
}

export const lawsOfSubscribing: readonly Law[] = [everyPosition, live, abort, slow]

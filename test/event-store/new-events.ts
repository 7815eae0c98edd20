import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Logged, NewEvent, Recorded } from '../../src/domain/event.ts'
import { LOG_VERSION } from '../../src/domain/events/log.ts'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex, sutStream } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { Appended, AppendFailure, EventStore, StoredRecord } from '../../src/event-store/event-store.ts'
import { encodeEvent, leafHash } from '../../src/event-store/stored-event.ts'

export const randomHex: RandomHex = (bytes) => randomBytes(bytes).toString('hex')

/** An event as read from the log. */
export const logged = (event: Recorded): Logged =>
  ({ ...event, leaf: new Uint8Array(leafHash(encodeEvent(event.stream, event.revision, event))) }) as Logged

/** A unique stream name, also in a shared store. */
export const aStream = (): string => sutStream(randomHex(12))

const TIME = Date.UTC(2030, 4, 2, 5, 58, 11, 400)

export const anEvent = (stream: string, note: string): NewEvent => ({
  type: 'SutUpdated',
  data: { _id: stream.slice('sut-'.length), description: note },
  id: makeEventId(TIME, randomHex(10)),
  metadata: {
    actor: '590780914445534540190000',
    role: 'administrator',
    request_id: randomHex(8),
    time: new Date(TIME).toISOString(),
    schema: 1,
  },
})

export const someEvents = (stream: string, count: number): readonly NewEvent[] =>
  Array.from({ length: count }, (_, index) => anEvent(stream, `note ${index}`))

export const aSecret = (stream: string, field: string, size = 32): SealedSecret => ({
  owner: stream.slice('sut-'.length),
  field,
  id: randomHex(12),
  key_id: 'k1',
  nonce: new Uint8Array(randomBytes(12)),
  ciphertext: new Uint8Array(randomBytes(size)),
})

export const append = (
  store: EventStore,
  stream: string,
  expected: number,
  events: readonly NewEvent[],
  secrets?: readonly SealedSecret[],
): Promise<E.Either<AppendFailure, Appended>> => store.append(stream, expected, events, secrets)

/**
 * Appends again while the answer is late: the servers of tests run beside other tests in one process. Repeating an append
 * is safe.
 */
export const appendPatiently: typeof append = async (...given) => {
  let answer = await append(...given)
  for (let left = 5; left > 0 && E.isLeft(answer) && ['unavailable', 'unknown'].includes(answer.left); left--) {
    answer = await append(...given)
  }
  return answer
}

/** Begins a log with its version, as the first start does. */
export const beginLog = async (store: EventStore): Promise<void> => {
  const set = { ...anEvent(sutStream(''), ''), type: 'LogVersionSet', data: { version: LOG_VERSION } } as NewEvent
  const by = { ...set.metadata, actor: 'berth', role: 'system' } as const
  done(await append(store, LISTEN_PORTS_STREAM, -1, [{ ...set, metadata: by }]))
}

/** `done`, or the reason of the failure. */
export const outcomeOf = (result: E.Either<AppendFailure, Appended>): AppendFailure | 'done' =>
  E.isRight(result) ? 'done' : result.left

export const readAll = async (store: EventStore, stream: string, after = -1): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for await (const page of store.readStream(stream, after)) events.push(...page)
  return events
}

/** All events after a position, until the store reports being caught up. */
export const readLog = async (store: EventStore, after: number): Promise<readonly Logged[]> => {
  const events: Logged[] = []
  for await (const batch of store.subscribe(toStorePosition(after), new AbortController().signal)) {
    events.push(...batch.events)
    if (batch.caughtUp) break
  }
  return events
}

/** All stored records after a position. */
export const recordsOf = async (store: EventStore, after: number): Promise<readonly StoredRecord[]> => {
  const records: StoredRecord[] = []
  for await (const page of store.records(toStorePosition(after))) records.push(...page)
  return records
}

export const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id)

/** `assert.deepEqual` for long lists, without the difference it prints: that takes seconds for a thousand events. */
export const assertSame = (actual: readonly unknown[], expected: readonly unknown[], what: string): void => {
  if (isDeepStrictEqual(actual, expected)) return
  const index = expected.findIndex((item, n) => !isDeepStrictEqual(item, actual[n]))
  const place = index === -1 ? expected.length : index
  assert.fail(`${what}: ${actual.length} instead of ${expected.length}, different from number ${place} on`)
}

/** The result of an append that must succeed. */
export const done = (result: Awaited<ReturnType<typeof append>>): Appended => {
  if (E.isLeft(result)) assert.fail(`the append ended as ${result.left}`)
  return result.right
}

/** Appends to the streams in turn, `count` times; returns the event ids in log order. */
export const interleave = async (
  store: EventStore,
  streams: readonly string[],
  count: number,
): Promise<readonly string[]> => {
  const ids: string[] = []
  const next = await Promise.all(streams.map(async (stream) => (await readAll(store, stream)).length))
  for (let index = 0; index < count; index++) {
    const place = index % streams.length
    const events = someEvents(streams[place] as string, 1 + (index % 2))
    const expected = (next[place] as number) - 1
    assert.equal(outcomeOf(await append(store, streams[place] as string, expected, events)), 'done')
    next[place] = expected + 1 + events.length
    ids.push(...idsOf(events))
  }
  return ids
}

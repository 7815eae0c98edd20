import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { anEvent, append, aStream, done, idsOf, outcomeOf, readAll, readLog, someEvents } from '../new-events.ts'
import type { Law } from './contract.ts'

const idempotence: Law = {
  title: 'repeating an append with its ids and revision succeeds with the same result and writes nothing',
  check: async ({ store }) => {
    const stream = aStream()
    const from = await store.head()
    const events = someEvents(stream, 3)
    const twice = await Promise.all([append(store, stream, -1, events), append(store, stream, -1, events)])
    assert.deepEqual(done(twice[0]), done(twice[1]))
    const more = [anEvent(stream, 'more')]
    const { storePosition } = done(await append(store, stream, 2, more))
    assert.deepEqual(done(await append(store, stream, -1, events)), done(twice[0]))
    assert.deepEqual(done(await append(store, stream, 2, more)), { revision: 3, storePosition })
    assert.deepEqual(idsOf(await readLog(store, from)), idsOf([...events, ...more]))
  },
}

const notRepeats: Law = {
  title: 'appending a prefix of the stored events is a repeat; other ids, another order or a superset conflict',
  check: async ({ store }) => {
    const stream = aStream()
    const events = someEvents(stream, 3)
    const [first, second, third] = events as [NewEvent, NewEvent, NewEvent]
    done(await append(store, stream, -1, events))
    const outcome = async (expected: number, given: readonly NewEvent[]) =>
      outcomeOf(await append(store, stream, expected, given))
    assert.equal(done(await append(store, stream, -1, [first, second])).revision, 1)
    assert.equal(done(await append(store, stream, 0, [second, third])).revision, 2)
    assert.equal(await outcome(-1, [...events, anEvent(stream, 'superset')]), 'moved')
    assert.equal(await outcome(-1, someEvents(stream, 3)), 'moved')
    assert.equal(await outcome(-1, [first, anEvent(stream, 'other')]), 'moved')
    assert.equal(await outcome(-1, [second, first]), 'moved')
    assert.equal(await outcome(0, [first]), 'moved')
    assert.deepEqual(idsOf(await readAll(store, stream)), idsOf(events))
  },
}

type Command = { readonly stream: number; readonly size: number; readonly off: number; readonly again: number | null }
const command: fc.Arbitrary<Command> = fc.record({
  stream: fc.nat(2),
  size: fc.integer({ min: 1, max: 4 }),
  off: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 2 })),
  again: fc.option(fc.nat(7)),
})

/** A minimal model of appends. */
const modelAppend = (ids: string[], expected: number, given: readonly string[]): 'done' | 'moved' => {
  if (ids.length - 1 === expected) {
    ids.push(...given)
    return 'done'
  }
  return given.every((id, index) => ids[expected + 1 + index] === id) ? 'done' : 'moved'
}

const followsModel = async (store: EventStore, commands: readonly Command[]): Promise<void> => {
  const streams = [aStream(), aStream(), aStream()]
  const model = streams.map((): string[] => [])
  const earlier: { stream: number; expected: number; events: readonly NewEvent[] }[] = []
  for (const { stream, size, off, again } of commands) {
    const name = streams[stream] as string
    const ids = model[stream] as string[]
    const repeated = again === null ? undefined : earlier[again]
    // A repeat with fewer or more events than before, or new events at a right or wrong revision.
    const given = repeated
      ? { ...repeated, events: [...repeated.events, anEvent(name, 'one more')].slice(0, size) }
      : { stream, expected: Math.max(-1, ids.length - 1 + off), events: someEvents(name, size) }
    const isRepetitionAtHead = repeated && (model[given.stream] as string[]).length - 1 === given.expected
    if (isRepetitionAtHead) continue
    earlier.push(given)
    const result = await append(store, streams[given.stream] as string, given.expected, given.events)
    const meant = modelAppend(model[given.stream] as string[], given.expected, idsOf(given.events))
    assert.equal(outcomeOf(result), meant)
    if (E.isRight(result)) assert.equal(result.right.revision, given.expected + given.events.length)
  }
  for (const [index, stream] of streams.entries()) {
    const events = await readAll(store, stream)
    assert.deepEqual(idsOf(events), model[index])
    assert.deepEqual(
      events.map(({ revision }) => revision),
      events.map((_, place) => place),
    )
  }
}

const anySequence: Law = {
  title: 'any sequence of valid, invalid and repeated appends matches a simple model',
  check: async ({ store }) => {
    const sequences = fc.array(command, { minLength: 12, maxLength: 24 })
    const result = await fc.check(
      fc.asyncProperty(sequences, (commands) => followsModel(store, commands)),
      { numRuns: 20, endOnFailure: true },
    )
    if (result.failed) assert.fail(fc.defaultReportMessage(result))
  },
}

export const lawsOfRepeating: readonly Law[] = [idempotence, notRepeats, anySequence]

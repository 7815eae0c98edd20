import assert from 'node:assert/strict'
import type { NewEvent } from '../../../src/domain/event.ts'
import { anEvent, append, aSecret, aStream, done, idsOf, outcomeOf, readAll, someEvents } from '../new-events.ts'
import type { Law } from './contract.ts'

const race: Law = {
  title: 'of 64 concurrent appends at one revision, one succeeds and the others conflict',
  check: async ({ store }) => {
    const stream = aStream()
    let written: readonly string[] = []
    for (const expected of [-1, 1]) {
      const rivals = Array.from({ length: 64 }, () => someEvents(stream, 2))
      const outcomes = await Promise.all(
        rivals.map(async (events) => outcomeOf(await append(store, stream, expected, events))),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'moved').length, 63)
      written = [...written, ...idsOf(rivals[outcomes.indexOf('done')] ?? [])]
      assert.deepEqual(idsOf(await readAll(store, stream)), written)
    }
  },
}

const wrongRevision: Law = {
  title: 'an append at any other revision conflicts and writes nothing, not even its secrets',
  check: async ({ store }) => {
    const stream = aStream()
    const events = someEvents(stream, 3)
    done(await append(store, stream, -1, events))
    for (const expected of [-1, 0, 1, 3, 100]) {
      const secret = aSecret(stream, 'password')
      assert.equal(outcomeOf(await append(store, stream, expected, someEvents(stream, 2), [secret])), 'moved')
    }
    assert.equal(outcomeOf(await append(store, aStream(), 0, someEvents(stream, 1))), 'moved')
    assert.deepEqual(idsOf(await readAll(store, stream)), idsOf(events))
    assert.deepEqual(await store.readSecrets(aSecret(stream, 'password').owner), [])
  },
}

const atomicity: Law = {
  title: 'readers and subscribers never see part of an append',
  check: async ({ store }) => {
    const stream = aStream()
    const from = await store.head()
    let isWriting = true
    const isWhole = async (): Promise<void> => {
      assert.equal((await readAll(store, stream)).length % 3, 0, 'part of an append can be read')
    }
    const subscriber = (async () => {
      for await (const { events } of store.subscribe(from, new AbortController().signal)) {
        if (events.length > 0) await isWhole()
        if (events.some(({ revision }) => revision >= 29)) return
      }
    })()
    const reader = (async () => {
      for (; isWriting; await new Promise(setImmediate)) await isWhole()
    })()
    const writer = (async () => {
      for (let expected = -1; expected < 29; expected += 3) {
        const { revision } = done(await append(store, stream, expected, someEvents(stream, 3)))
        assert.equal(revision, expected + 3)
      }
      isWriting = false
    })()
    await Promise.all([subscriber, reader, writer]).finally(() => {
      isWriting = false
    })
    assert.equal((await readAll(store, stream)).length, 30)
  },
}

const nothing: Law = {
  title: 'an append without events is an error and creates no stream',
  check: async ({ store }) => {
    const stream = aStream()
    await assert.rejects(append(store, stream, -1, []), TypeError)
    assert.deepEqual(await readAll(store, stream), [])
    assert.equal(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'done')
  },
}

const appendFault: Law = {
  title: 'an append that cannot be encoded fails alone',
  check: async ({ store }) => {
    // Streams of their own: no store promises an order to appends that are under way at once.
    const [stream, other] = [aStream(), aStream()]
    const bad = { ...anEvent(stream, ''), data: { _id: stream.slice(4), description: '\ud800' } } as NewEvent
    const [before, failed, after] = await Promise.allSettled([
      append(store, stream, -1, someEvents(stream, 1)),
      append(store, stream, 0, [bad]),
      append(store, other, -1, someEvents(other, 1)),
    ])
    assert.equal(failed.status, 'rejected')
    for (const result of [before, after]) {
      assert.equal(result.status === 'fulfilled' && outcomeOf(result.value), 'done')
    }
    for (const each of [stream, other]) assert.equal((await readAll(store, each)).length, 1)
  },
}

export const lawsOfAppending: readonly Law[] = [race, wrongRevision, atomicity, nothing, appendFault]

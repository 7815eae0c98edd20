import assert from 'node:assert/strict'
import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { decodeEvent, encodeEvent, leafHash } from '../../../src/event-store/stored-event.ts'
import {
  append,
  aSecret,
  aStream,
  assertSame,
  done,
  idsOf,
  interleave,
  logged,
  outcomeOf,
  readAll,
  readLog,
  recordsOf,
  someEvents,
} from '../new-events.ts'
import type { Law } from './contract.ts'

const streamOrder: Law = {
  title: 'a stream is read in append order, with revisions from 0 without gaps',
  check: async ({ store }) => {
    const streams = [aStream(), aStream(), aStream()]
    const ids = await interleave(store, streams, 12)
    const whole = await Promise.all(streams.map((stream) => readAll(store, stream)))
    for (const [index, events] of whole.entries()) {
      assert.deepEqual(
        events.map(({ revision, stream }) => [stream, revision]),
        Array.from({ length: 6 }, (_, revision) => [streams[index], revision]),
      )
      const stream = streams[index] as string
      for (const after of [-1, 0, 3, 4, 5, 100]) {
        assert.deepEqual(await readAll(store, stream, after), events.slice(after + 1))
      }
    }
    assert.deepEqual(whole.flatMap(idsOf).toSorted(), ids.toSorted())
  },
}

const longStream: Law = {
  title: 'streams and logs longer than a page are read completely',
  check: async ({ store }) => {
    const from = await store.head()
    const stream = aStream()
    const events = someEvents(stream, 700)
    for (let index = 0; index < 700; index += 100) {
      done(await append(store, stream, index - 1, events.slice(index, index + 100)))
    }
    assertSame(idsOf(await readAll(store, stream)), idsOf(events), 'the stream')
    assertSame(idsOf(await readAll(store, stream, 420)), idsOf(events).slice(421), 'the rest of the stream')
    assertSame(idsOf(await readLog(store, from)), idsOf(events), 'the log')
  },
}

const missingStream: Law = {
  title: 'a stream without events reads as empty',
  check: async ({ store }) => {
    await assert.doesNotReject(async () => assert.deepEqual(await readAll(store, aStream()), []))
    await assert.doesNotReject(async () => assert.deepEqual(await readAll(store, aStream(), 7), []))
    assert.deepEqual(await store.readSecrets('590780914445534540190000'), [])
  },
}

const reopening: Law = {
  title: 'everything is still there after closing and reopening the store',
  check: async ({ store, reopen }) => {
    const { logId } = store
    const from = await store.head()
    const stream = aStream()
    const events = someEvents(stream, 3)
    const secrets = [aSecret(stream, 'password'), aSecret(stream, 'user_name')]
    const result = await append(store, stream, -1, events, secrets)
    const log = await readLog(store, from)
    const again = await reopen()
    assert.equal(again.logId, logId)
    assert.match(again.logId, /^[0-9a-f]{24}$/)
    assert.deepEqual((await readAll(again, stream)).map(logged), log)
    assert.deepEqual(await readLog(again, from), log)
    assert.deepEqual(await again.readSecrets(stream.slice(4)), secrets)
    assert.deepEqual(await append(again, stream, -1, events, secrets), result)
    assert.equal(outcomeOf(await append(again, stream, -1, someEvents(stream, 1))), 'moved')
  },
}

const byField = (secrets: readonly SealedSecret[]): readonly SealedSecret[] =>
  secrets.toSorted((a, b) => (a.field < b.field ? -1 : 1))

const secrets: Law = {
  title: 'secrets are written with their event, and the newest of each field is returned',
  check: async ({ store }) => {
    const stream = aStream()
    const sutId = stream.slice('sut-'.length)
    const [password, userName, newer] = ['password', 'user_name', 'password'].map((field) => aSecret(stream, field))
    const [first, second, third] = someEvents(stream, 3).map((event) => [event])
    assert.ok(password && userName && newer && first && second && third)
    done(await append(store, stream, -1, first, [password, userName]))
    assert.deepEqual(byField(await store.readSecrets(sutId)), [password, userName])
    done(await append(store, stream, 0, second, [newer]))
    assert.deepEqual(byField(await store.readSecrets(sutId)), [newer, userName])
    done(await append(store, stream, -1, first, [password, userName]))
    assert.deepEqual(
      byField(await store.readSecrets(sutId)),
      [newer, userName],
      'a repeated append restores no old secret',
    )
    const check = { ...aSecret(stream, 'k1'), owner: `-${sutId}` }
    await store.writeSecrets([check])
    assert.deepEqual(await store.readSecrets(check.owner), [check])
    assert.deepEqual(await readAll(store, stream, 1), [])
  },
}

const records: Law = {
  title: 'records are returned in canonical form, the input of leaf hashes, up to the end of the log',
  check: async ({ store }) => {
    const from = await store.head()
    await interleave(store, [aStream(), aStream()], 300)
    const log = await readLog(store, from)
    for (const after of [0, 1, log.length - 2, log.length - 1].map((n) => log[n]?.storePosition as number)) {
      const records = await recordsOf(store, after)
      const rest = log.filter(({ storePosition }) => storePosition > after)
      const read = records.map(({ text, storePosition }) => ({
        ...decodeEvent(text, storePosition),
        leaf: new Uint8Array(leafHash(text)),
      }))
      const canonical = rest.map((event) => encodeEvent(event.stream, event.revision, event))
      assertSame(read, rest, 'the records of the log')
      assert.ok(
        records.every(({ text }, n) => text === canonical[n]),
        'the records are in canonical form',
      )
      for (const { text, leaf } of records) if (leaf !== undefined) assert.deepEqual(Buffer.from(leaf), leafHash(text))
    }
  },
}

const at: Law = {
  title: 'an event is read by its position; a position without an event returns nothing',
  check: async ({ store }) => {
    const from = await store.head()
    await interleave(store, [aStream(), aStream()], 20)
    for (const event of await readLog(store, from)) {
      assert.deepEqual(await store.at(event.storePosition), event)
      const record = await store.recordAt(event.storePosition)
      assert.equal(record?.storePosition, event.storePosition)
      assert.deepEqual(leafHash(String(record?.text)), Buffer.from(event.leaf))
    }
    for (const nowhere of [toStorePosition((await store.head()) + 1), BEGINNING]) {
      assert.deepEqual([await store.at(nowhere), await store.recordAt(nowhere)], [undefined, undefined])
    }
  },
}

export const lawsOfReading: readonly Law[] = [streamOrder, longStream, missingStream, reopening, secrets, records, at]

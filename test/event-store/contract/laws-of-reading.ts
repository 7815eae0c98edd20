import assert from 'node:assert/strict'
import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
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
import { keepsTheOldestSecret, losesSecrets } from './broken-appends.ts'
import * as broken from './broken-reads.ts'
import { saysCaughtUpAfterEachPage } from './broken-subscriptions.ts'
import type { Law } from './contract.ts'

const streamOrder: Law = {
  title: 'a stream is read in the order of its appends, its revisions counting from 0 without a gap',
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
  brokenBy: {
    'leaves out an event': broken.readsStreamsWithAGap,
    'repeats an event': broken.readsStreamsTwice,
    'counts from 1': broken.readsOtherRevisions,
    'always begins at the beginning': broken.readsFromTheBeginning,
  },
}

const longStream: Law = {
  title: 'a stream and a log of more events than a page are read whole',
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
  brokenBy: {
    'leaves out an event': broken.readsStreamsWithAGap,
    'takes the end of a page for the end of the log': saysCaughtUpAfterEachPage,
  },
}

const missingStream: Law = {
  title: 'a stream that nobody has written to reads as empty',
  check: async ({ store }) => {
    await assert.doesNotReject(async () => assert.deepEqual(await readAll(store, aStream()), []))
    await assert.doesNotReject(async () => assert.deepEqual(await readAll(store, aStream(), 7), []))
    assert.deepEqual(await store.readSecrets('590780914445534540190000'), [])
  },
  brokenBy: { 'fails without a stream': broken.failsWithoutAStream },
}

const reopening: Law = {
  title: 'closing and opening again gives everything back',
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
  brokenBy: {
    'forgets the last event': broken.forgetsTheLastEvent,
    'forgets its id': broken.forgetsWhoItIs,
    'forgets the secrets': broken.forgetsSecrets,
  },
}

const byField = (secrets: readonly SealedSecret[]): readonly SealedSecret[] =>
  secrets.toSorted((a, b) => (a.field < b.field ? -1 : 1))

const secrets: Law = {
  title: 'secrets stand with the event they came with, and the newest of each field is given',
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
    assert.deepEqual(byField(await store.readSecrets(sutId)), [newer, userName], 'a repetition brings nothing back')
    const check = { ...aSecret(stream, 'k1'), sut_id: `-${sutId}` }
    await store.writeSecrets([check])
    assert.deepEqual(await store.readSecrets(check.sut_id), [check])
    assert.deepEqual(await readAll(store, stream, 1), [])
  },
  brokenBy: { 'loses secrets': losesSecrets, 'keeps the oldest': keepsTheOldestSecret },
}

const records: Law = {
  title: 'the log is given as it lies, up to where it ends: in the form that leaf hashes are taken of',
  check: async ({ store }) => {
    const from = await store.head()
    await interleave(store, [aStream(), aStream()], 300)
    const log = await readLog(store, from)
    for (const after of [0, 1, log.length - 2, log.length - 1].map((n) => log[n]?.mark as number)) {
      const lying = await recordsOf(store, after)
      const rest = log.filter(({ mark }) => mark > after)
      const read = lying.map(({ text, mark }) => ({ ...decodeEvent(text, mark), leaf: new Uint8Array(leafHash(text)) }))
      const canonical = rest.map((event) => encodeEvent(event.stream, event.revision, event))
      assertSame(read, rest, 'the events of the log')
      assert.ok(
        lying.every(({ text }, n) => text === canonical[n]),
        'they are written in their canonical form',
      )
      for (const { text, leaf } of lying) if (leaf !== undefined) assert.deepEqual(Buffer.from(leaf), leafHash(text))
    }
  },
  brokenBy: { 'puts blanks between': broken.laysBlanks, 'leaves out the last': broken.leavesOutTheLastRecord },
}

const at: Law = {
  title: 'an event is read at its mark, and nothing where there is none',
  check: async ({ store }) => {
    const from = await store.head()
    await interleave(store, [aStream(), aStream()], 20)
    for (const event of await readLog(store, from)) {
      assert.deepEqual(await store.at(event.mark), event)
      const record = await store.recordAt(event.mark)
      assert.equal(record?.mark, event.mark)
      assert.deepEqual(leafHash(String(record?.text)), Buffer.from(event.leaf))
    }
    for (const mark of [(await store.head()) + 1, -1]) {
      assert.deepEqual([await store.at(mark), await store.recordAt(mark)], [undefined, undefined])
    }
  },
  brokenBy: {
    'gives the one before': broken.givesTheOneBefore,
    'gives the record before': broken.givesTheRecordBefore,
    'gives the last for none': broken.givesTheLastForNone,
  },
}

export const lawsOfReading: readonly Law[] = [streamOrder, longStream, missingStream, reopening, secrets, records, at]

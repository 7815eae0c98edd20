import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { whenStoreAnswers } from '../../src/app/core/base.ts'
import { checkLogVersion, upgradeLog } from '../../src/commands/log-events.ts'
import type { NewEvent } from '../../src/domain/event.ts'
import { LOG_VERSION } from '../../src/domain/events/log.ts'
import { LISTEN_PORTS_STREAM, makeEventId, STREAMS, sutStream } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { aServer } from '../event-store/eventstoredb/server-and-client.ts'
import { openEventStoreDbSubject } from '../event-store/eventstoredb/subject.ts'
import { anEvent, append, beginLog, done, randomHex, readAll, readLog, recordsOf } from '../event-store/new-events.ts'
import { openSqliteSubject } from '../event-store/sqlite/subject.ts'

const TIME = Date.UTC(2030, 4, 2, 5, 58, 11, 400)
const SUT = '58c38f5d444553252cce0000'

const log = { info: () => undefined, warn: () => undefined }
const options = (store: EventStore) => ({
  store,
  version: LOG_VERSION,
  clock: () => TIME,
  randomHex,
  log,
})

/** An event that a future version may write. */
const written = (type: string, data: object): NewEvent =>
  ({ ...anEvent(sutStream(SUT), ''), id: makeEventId(TIME, randomHex(10)), type, data }) as NewEvent

const assigned = written('ListenPortAssigned', { listen_port: 20_000, sut_id: SUT })

const openSqlite = openSqliteSubject({})
const openEventStoreDb = async (t: ExecutionContext) => {
  const { address } = await aServer(t)
  return openEventStoreDbSubject(() => address)(t)
}

for (const [name, open] of [
  ['SQLite', openSqlite],
  ['EventStoreDB', openEventStoreDb],
] as const) {
  test(`of ten concurrent starts on ${name}, one begins the log with its version`, async (t) => {
    const { store } = await open(t)
    await Promise.all(Array.from({ length: 10 }, () => upgradeLog(options(store))))
    const [first, ...more] = await readAll(store, LISTEN_PORTS_STREAM)
    t.deepEqual([first?.type, first?.data, more], ['LogVersionSet', { version: LOG_VERSION }, []])
    await checkLogVersion(store)
    await upgradeLog(options(store))
    t.is((await readAll(store, LISTEN_PORTS_STREAM)).length, 1)
  })

  test(`of ten concurrent starts of a newer version on ${name}, one upgrades the log, after its events`, async (t) => {
    const { store, reopen } = await open(t)
    await beginLog(store)
    done(await append(store, LISTEN_PORTS_STREAM, 0, [assigned]))
    const ended = await Promise.allSettled(
      Array.from({ length: 10 }, () => upgradeLog({ ...options(store), version: LOG_VERSION + 1 })),
    )
    // The others meet a version that this program cannot read.
    t.is(ended.filter(({ status }) => status === 'fulfilled').length, 1)
    const texts = (await recordsOf(await reopen(), -1)).map(({ text }) => JSON.parse(text))
    t.like(texts, { 2: { type: 'LogVersionSet', data: { version: LOG_VERSION + 1 }, revision: 2 }, length: 3 })
  })

  test(`a log on ${name} upgraded by a newer version is refused with that reason`, async (t) => {
    const { store, reopen } = await open(t)
    await beginLog(store)
    done(await append(store, LISTEN_PORTS_STREAM, 0, [written('LogVersionSet', { version: LOG_VERSION + 1 })]))
    const [newer, own] = [LOG_VERSION + 1, LOG_VERSION]
    const why = `listenPorts@1: /data/version: the log has version ${newer}, set by a newer version of Berth; this one reads ${own}`
    // Reopened, as by another process.
    await t.throwsAsync(readLog(await reopen(), -1), { name: 'UndecodableEvent', message: why })
  })
}

test('only a log that was in use before is logged as upgraded', async (t) => {
  const sentences: string[] = []
  const logged = { info: (_: object, sentence: string) => void sentences.push(sentence), warn: () => undefined }
  const { store } = await openSqlite(t)
  await upgradeLog({ ...options(store), log: logged })
  t.deepEqual([sentences, (await readAll(store, LISTEN_PORTS_STREAM)).length], [[], 1])
  await upgradeLog({ ...options(store), log: logged, version: LOG_VERSION + 1 })
  t.deepEqual(sentences, ['log upgraded; older versions of Berth no longer start on it'])
})

for (const [what, event] of [
  ['with another event', assigned],
  ['with a newer version', written('LogVersionSet', { version: LOG_VERSION + 1 })],
  ['with an event of no known type', written('StoreUpgraded', { from: 1, to: 2 })],
] as const) {
  test(`a log that begins ${what} is refused in one sentence`, async (t) => {
    const { store } = await openSqlite(t)
    done(await append(store, LISTEN_PORTS_STREAM, -1, [event]))
    const message = `the log is of another version of Berth: it does not begin with a log version up to ${LOG_VERSION}, which this one uses`
    await t.throwsAsync(checkLogVersion(store), { name: 'OtherLogVersion', message })
  })
}

for (const stream of [...STREAMS.names, ...STREAMS.prefixes.map((prefix) => `${prefix}${SUT}`)]) {
  test(`an unknown event in ${stream} of an EventStoreDB stops reading`, async (t) => {
    const { store } = await openEventStoreDb(t)
    done(await append(store, stream, -1, [written('SomethingToCome', { _id: SUT })]))
    const { message } = (await t.throwsAsync(readLog(store, -1), { name: 'UndecodableEvent' })) as Error
    t.true(message.startsWith(`${stream}@0: /type: must be one of `), message)
  })
}

test('with a clock behind, an upgrade is recorded at the time of the last event of its stream', async (t) => {
  const { store } = await openSqlite(t)
  await beginLog(store)
  await upgradeLog({ ...options(store), version: LOG_VERSION + 1, clock: () => TIME - 3_600_000 })
  const [first, second] = (await recordsOf(store, -1)).map(({ text }) => JSON.parse(text))
  t.is(second.metadata.time, first.metadata.time)
})

test('an unwritable store fails the start with the reason, or is retried if the start waits for it', async (t) => {
  const { store } = await openSqlite(t)
  const failing = (why: 'full' | 'unavailable', times = Number.POSITIVE_INFINITY): EventStore => {
    let left = times
    return {
      ...store,
      append: async (...given) => (left-- > 0 ? E.left(why) : store.append(...given)),
    }
  }
  await t.throwsAsync(upgradeLog(options(failing('full'))), {
    name: 'StoreUnavailable',
    message: /event store is full/,
  })
  await t.throwsAsync(upgradeLog(options(failing('unavailable'))), { name: 'StoreUnavailable' })
  t.deepEqual(await readLog(store, -1), [])
  const warned: string[] = []
  const waiting = { ...log, warn: (_: object, sentence: string) => void warned.push(sentence) }
  const shared = { isShared: true, log: { ...waiting, error: () => undefined } }
  const stopped = () => upgradeLog(options(failing('full')))
  await t.throwsAsync(whenStoreAnswers({ ...shared, signal: AbortSignal.abort() }, stopped), {
    name: 'StoreUnavailable',
  })
  const late = options(failing('unavailable', 1))
  await whenStoreAnswers(shared, () => upgradeLog(late))
  t.deepEqual(warned, ['event store unavailable; retrying'])
})

import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { CopyFailure, copyLog } from '../../src/archive/copy-log.ts'
import { treeOf } from '../../src/audit/merkle-tree.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../src/event-store/event-store.ts'
import type { EventStoreDb } from '../../src/event-store/eventstoredb/store.ts'
import { idOf } from '../domain/builders.ts'
import { aLogOn, openAt } from '../event-store/eventstoredb/subject.ts'
import { type Running, type Setting, start, temporaryData } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'
import { anEmbeddedLog, notes, type Run, record, textsOf } from './histories.ts'

export const aTarget = (t: ExecutionContext, source: EventStore, address: string): Promise<EventStoreDb> =>
  openAt(t, address, { copyOf: source.logId })

export const copied = (source: EventStore, target: EventStore) =>
  copyLog({ source, target, onProgress: () => undefined })

/** A copy fails with this message. */
export const fails = (t: ExecutionContext, source: EventStore, target: EventStore, message: RegExp, what?: string) =>
  t.throwsAsync(copied(source, target), { instanceOf: CopyFailure, message }, what)

/** The root of the tree over a log. */
export const rootOf = async (store: EventStore): Promise<string> =>
  (await treeOf(store.records(BEGINNING))).root().toString('base64')

/** A source with these runs, and an empty target on a server. */
export const prepared = async (t: ExecutionContext, server: string, runs: readonly Run[]) => {
  const { store: source } = await anEmbeddedLog(t)
  await record(source, runs)
  return { source, target: await aTarget(t, source, aLogOn(server)) }
}

/** A closed log with `count` events, and the address to copy it to. */
export const aLog = async (t: ExecutionContext, server: string, count: number) => {
  const { store, path } = await anEmbeddedLog(t)
  await record(
    store,
    Array.from({ length: count }, (_, n) => notes(sutStream(idOf(n % 3)), 1, `note ${n}`)),
  )
  const root = await rootOf(store)
  const texts = await textsOf(store)
  await store.close()
  const to = aLogOn(server)
  const args = ['copy', '--from', `sqlite:${path}`, '--to', to]
  return { path, to, args, root, texts, data: join(path, '..') }
}

/** A service on the embedded store, even if tests run over another one. */
export const startEmbedded = async (t: ExecutionContext, setting: Setting = {}): Promise<Running> => {
  const data = await temporaryData(t)
  return start(t, { ...setting, now: NOW, data, environment: { BERTH_EVENT_STORE: `sqlite:${data}/events.db` } })
}

/** The stored texts at an address. */
export const foundAt = async (t: ExecutionContext, address: string): Promise<readonly string[]> => {
  const store = await openAt(t, address, { isReadOnly: true })
  return textsOf(store)
}

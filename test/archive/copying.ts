import type { ExecutionContext } from 'ava'
import { CopyFailure, copyLog } from '../../src/archive/copy-log.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import type { EventStoreDb } from '../../src/event-store/eventstoredb/store.ts'
import { aLogOn, openAt } from '../event-store/eventstoredb/subject.ts'
import { anEmbeddedLog, type Run, record } from './histories.ts'

export const unheard = (): void => undefined

export const aTarget = (t: ExecutionContext, source: EventStore, address: string): Promise<EventStoreDb> =>
  openAt(t, address, { copyOf: source.logId })

export const copied = (source: EventStore, target: EventStore) => copyLog({ source, target, onProgress: unheard })

/** A copy fails with this message. */
export const fails = (t: ExecutionContext, source: EventStore, target: EventStore, message: RegExp, what?: string) =>
  t.throwsAsync(copied(source, target), { instanceOf: CopyFailure, message }, what)

/** A source with these runs, and an empty target on a server. */
export const prepared = async (t: ExecutionContext, server: string, runs: readonly Run[]) => {
  const { store: source } = await anEmbeddedLog(t)
  await record(source, runs)
  return { source, target: await aTarget(t, source, aLogOn(server)) }
}

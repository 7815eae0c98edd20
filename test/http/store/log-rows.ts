import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Metadata } from '../../../src/domain/event.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import { addressFor, SHARED_STORE } from '../../event-store/shared-store.ts'
import { readRows } from '../../process/log-rows.ts'
import { rightOf } from '../../users/builders.ts'
import type { Running, Tidying } from '../harness.ts'

export interface Row {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Event extends Row {
  readonly id: string
  readonly metadata: Metadata
}

/** Whether a start recorded the event, not a request. Users are imported at a start. */
const isOfStart = (type: string, actor: string): boolean =>
  type === 'LogVersionSet' || (type === 'UserAdded' && actor === 'berth')

/** All complete events, from either store. */
export const allEventsOf = async ({ data }: Pick<Running, 'data'>): Promise<readonly Event[]> => {
  if (SHARED_STORE === undefined || existsSync(join(data, 'events.db'))) return readRows(join(data, 'events.db'))
  const address = rightOf(readEventStoreDbAddress(addressFor(SHARED_STORE, data)))
  const store = await openEventStoreDb({ address, randomHex: () => '', isReadOnly: true })
  try {
    const events: Event[] = []
    for await (const page of store.records(BEGINNING)) events.push(...page.map(({ text }) => JSON.parse(text) as Event))
    return events
  } finally {
    await store.close()
  }
}

/** All complete events since the start. */
export const eventsOf = async (running: Pick<Running, 'data'>): Promise<readonly Event[]> =>
  (await allEventsOf(running)).filter(({ type, metadata }) => !isOfStart(type, metadata.actor))

/** The type and data of the events since the start, from either store. */
export const logOf = async (running: Pick<Running, 'data'>): Promise<readonly Row[]> =>
  (await eventsOf(running)).map(({ type, data }) => ({ type, data }))

/** Counts events often: a file stays open, and they are not read from it. */
export const eventCounterOf = (t: Tidying, service: Pick<Running, 'data'>): (() => Promise<number>) => {
  if (SHARED_STORE !== undefined) return async () => (await allEventsOf(service)).length
  const log = new DatabaseSync(join(service.data, 'events.db'), { readOnly: true })
  t.teardown(() => log.close())
  const count = log.prepare('SELECT count(*) AS count FROM events')
  return async () => Number(count.get()?.count)
}

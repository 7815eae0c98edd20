import { DatabaseSync } from 'node:sqlite'
import type { ExecutionContext } from 'ava'
import { projections } from '../../projections/index.ts'
import type { Event, Metadata, Recorded } from '../../src/domain/event.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { openViews, type Views } from '../../src/read-models/views.ts'
import {
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  SUT_ID,
  sutCreated,
  sutRetired,
  sutUpdated,
  wall,
} from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { append, outcomeOf } from '../event-store/new-events.ts'

const key = (n: number): Partial<Metadata> =>
  n % 3 === 1 ? { key: `${`key${n % 5}`.padEnd(22, '_')}.${`request${n}`.padEnd(22, '-')}` } : {}

const time = (n: number): string =>
  `${String(5 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`

/** The events of the nth reservation, and of its SUT meanwhile. */
const chapter = (n: number): readonly Event[] => {
  const hour = String(8 + (n % 12)).padStart(2, '0')
  const created = reservationCreated(idOf(n), `${hour}:00`, `${hour}:15`)
  switch (n % 4) {
    case 0:
      return [created]
    case 1:
      return [created, reservationExtended(idOf(n), wall(`${hour}:30`)), sutUpdated({ description: `after ${n}` })]
    case 2:
      return [created, reservationReleased(idOf(n), wall(`${hour}:01`))]
    default:
      return [created, sutUpdated({ tags: { last: `${n}` } }), reservationCancelled(idOf(n))]
  }
}

/** The events of a SUT and its calendar, of every type, every third one with an idempotency key. */
export const story: readonly Recorded[] = [
  sutCreated(),
  ...Array.from({ length: 12 }, (_, n) => chapter(n)).flat(),
  sutRetired(),
].map((event, n) => recordedAt(n, at(time(n), event, key(n))))

export const STREAM = sutStream(SUT_ID)

/** Appends events of the story in one append. */
export const tell = async (store: EventStore, events: readonly Recorded[]): Promise<void> => {
  const expected = (events[0]?.revision ?? 0) - 1
  const newEvents = events.map(({ stream: _, revision: __, storePosition: ___, ...event }) => event)
  const outcome = outcomeOf(await append(store, STREAM, expected, newEvents))
  if (outcome !== 'done') throw new Error(outcome)
}

/** Views with their alarms, recoveries and fatal errors. */
export interface ObservedViews extends Views {
  readonly alarms: readonly string[]
  readonly recoveries: readonly string[]
  readonly fatal: readonly unknown[]
  /** Resolves at the next alarm or recovery. */
  readonly nextReport: () => Promise<string>
}

/** Opens the views and waits until they reach the end of the store. */
export const viewsOn = async (t: ExecutionContext, store: EventStore, path: string): Promise<ObservedViews> => {
  const [alarms, recoveries, fatal]: [string[], string[], unknown[]] = [[], [], []]
  let next = Promise.withResolvers<string>()
  const reportTo = (list: string[]) => (what: string) => {
    list.push(what)
    next.resolve(what)
    next = Promise.withResolvers()
  }
  const views = await openViews({
    path,
    store,
    onAlarm: reportTo(alarms),
    onRecovery: reportTo(recoveries),
    onFatal: (error) => fatal.push(error),
  })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= views.close()
    return closed
  }
  t.teardown(close)
  if (!(await views.waitForStorePosition(await store.head(), 10_000))) throw new Error('the views did not catch up')
  return { ...views, close, alarms, recoveries, fatal, nextReport: () => next.promise }
}

/** Another connection to the views, as an operator with a shell would open. */
export const shellOn = (t: ExecutionContext, path: string): DatabaseSync => {
  const database = new DatabaseSync(path)
  t.teardown(() => database.close())
  return database
}

/** Every row of every document table in the file. */
export const rowsIn = (path: string): readonly string[] => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return projections.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM ${name} ORDER BY position`)
        .all()
        .map((row) => JSON.stringify({ name, ...row })),
    )
  } finally {
    database.close()
  }
}

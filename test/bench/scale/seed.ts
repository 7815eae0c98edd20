import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { append, done, randomHex } from '../../event-store/new-events.ts'
import { aUser } from '../../users/builders.ts'
import { startServer } from '../measure/processes.ts'
import { MAIN, PASSWORD } from '../servers/berth.ts'
import { historyOf, type People, type Scale } from './lab-history.ts'
import { writeUsers } from './write-users.ts'

export interface Seeded extends Scale {
  readonly data: string
  readonly people: People
  readonly ids: readonly string[]
  /** Number of reservations made. */
  readonly made: number
  /** Number of listed reservations: all except cancelled ones. */
  readonly listed: number
  /** Ids of some reservations. */
  readonly some: readonly string[]
  /** Unix seconds of the first sitting. */
  readonly begins: number
}

const TESTERS = 20
/** Concurrent appends, which the store commits together. */
const AT_ONCE = 200
/** `some` gets the first reservation of every 50th append. */
const SOME = 50

export const environmentOf = (data: string): Record<string, string> => ({
  BERTH_DATA: data,
  BERTH_PORT: '0',
  BERTH_ADMIN_PASSWORD: PASSWORD,
  // The maximum horizon: a year of windows on one SUT is reserved within half a minute.
  BERTH_HORIZON: 'P3660D',
})

/** The users of a lab. */
const usersOf = ({ administrator, testers }: People) =>
  Promise.all([
    aUser('admin', PASSWORD, { role: 'administrator', _id: administrator }),
    ...testers.map((_id, n) => aUser(`tester-${n}`, PASSWORD, { _id })),
  ])

/** Creates a data directory with the keys of a first start. */
export const begin = async (data: string): Promise<People> => {
  const service = await startServer([MAIN, 'serve'], environmentOf(data))
  await service.stop()
  return { administrator: 'id-of-admin', testers: Array.from({ length: TESTERS }, (_, n) => `id-of-tester-${n}`) }
}

/** Replaces the log of a data directory with a new one, because a lab's history starts long ago. */
export const openNewLog = (data: string): EventStore => {
  for (const name of readdirSync(data)) if (/^(events|views)\.db/.test(name)) rmSync(join(data, name))
  const onFatal = (error: Error): never => {
    throw error
  }
  return openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
}

/** Adds the users of a lab and closes its log. */
export const endLog = async (store: EventStore, data: string, people: People): Promise<void> => {
  await writeUsers(store, data, await usersOf(people))
  await store.close()
}

/** Writes the history of a lab into the log of a data directory. */
export const seed = async (data: string, people: People, scale: Scale): Promise<Seeded> => {
  const store = openNewLog(data)
  const { suts: ids, begins, runs } = historyOf(scale, people, Date.now() / 1_000)
  const some: string[] = []
  let [left, made, cancelled, appended] = [scale.events, 0, 0, 0]
  let appends: ReturnType<typeof append>[] = []
  const settle = async (): Promise<void> => {
    for (const outcome of await Promise.all(appends)) done(outcome)
    appends = []
  }
  for (const { stream, expected, events } of runs()) {
    const taken = events.slice(0, left)
    left -= taken.length
    for (const { type } of taken) {
      if (type === 'ReservationCreated') made++
      if (type === 'ReservationCancelled') cancelled++
    }
    const [first] = taken
    if (first?.type === 'ReservationCreated' && ++appended % SOME === 0) some.push(first.data._id)
    appends.push(append(store, stream, expected, taken))
    if (appends.length === AT_ONCE) await settle()
  }
  await settle()
  await endLog(store, data, people)
  return { ...scale, data, people, ids, made, listed: made - cancelled, some, begins }
}

import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { makeCatchUpStates } from '../../../src/commands/states.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import '../../../src/app/node-settings.ts'
import { dropViews } from '../../../src/read-models/file/views-file.ts'
import { openViews } from '../../../src/read-models/views.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { runScript } from '../measure/processes.ts'
import { bothWays, inRounds, type Rounds } from './rounds.ts'

/**
 * A rebuild of the views, as in a service that finds none, compared with a loop that only reads and parses the events.
 * Each runs in its own process, with the data directory and its name as arguments. The start of a service is measured
 * separately.
 */

const onFatal = (error: unknown): never => {
  throw error
}

/** Milliseconds. */
const WITHIN = 600_000

const ways: Readonly<Record<'rebuild' | 'read', (store: EventStore, data: string) => Promise<void>>> = {
  rebuild: async (store, data) => {
    const path = join(data, 'views.db')
    const views = await openViews({
      path,
      store,
      projections,
      states: makeCatchUpStates(),
      onAlarm: (what) => onFatal(new Error(what)),
      onRecovery: () => undefined,
      onFatal,
    })
    if (!(await views.waitForStorePosition(await store.head(), WITHIN)))
      throw new Error('the views do not reach the end of the log')
    await views.close()
  },
  read: async (store) => {
    for await (const page of store.records(BEGINNING)) for (const { text } of page) JSON.parse(text)
  },
}

/** Milliseconds. */
const run = async (data: string, name: keyof typeof ways): Promise<number> => {
  if (name === 'rebuild') dropViews(join(data, 'views.db'))
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
  const began = performance.now()
  await ways[name](store, data)
  const took = performance.now() - began
  await store.close()
  return took
}

/** Milliseconds of each way. */
export const rebuilds = (data: string, rounds: number): Promise<Rounds<readonly [rebuild: number, read: number]>> => {
  const take = async (name: keyof typeof ways): Promise<number> =>
    Number(await runScript([import.meta.filename, data, name]))
  return inRounds(rounds, (round) =>
    bothWays(
      round,
      () => take('rebuild'),
      () => take('read'),
    ),
  )
}

if (import.meta.main) {
  const [data = '', name] = process.argv.slice(2)
  process.stdout.write(`${await run(data, name as keyof typeof ways)}\n`)
}

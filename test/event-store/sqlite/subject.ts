import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore, type SqliteLimits, type SqliteOptions } from '../../../src/event-store/sqlite/store.ts'
import type { Subject } from '../contract/contract.ts'
import { randomHex } from '../new-events.ts'

/** A temporary directory, deleted after the test. */
export const aDirectory = async (t: ExecutionContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(directory, { recursive: true }))
  return directory
}

/** A path for a new log. */
export const aPath = async (t: ExecutionContext): Promise<string> => join(await aDirectory(t), 'events.db')

/** Opens a store, closed after the test; a fatal error fails the test. */
export const openStore = (t: ExecutionContext, path: string, options: Partial<SqliteOptions> = {}): EventStore => {
  const store = openSqliteStore({ path, randomHex, onFatal: (error) => t.fail(error.message), ...options })
  t.teardown(store.close)
  return store
}

export const openSqliteSubject =
  (limits: SqliteLimits, options: Partial<SqliteOptions> = {}) =>
  async (t: ExecutionContext): Promise<Subject> => {
    const path = join(await aDirectory(t), 'events.db')
    let store = openStore(t, path, { limits, ...options })
    return {
      store,
      reopen: async () => {
        await store.close()
        store = openStore(t, path, { limits, ...options })
        return store
      },
    }
  }

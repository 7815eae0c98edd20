import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

const OPENER = fileURLToPath(new URL('../store-opener.ts', import.meta.url))

/** Opens a log in another process, which may be started by a command; returns its first output. */
export const openInAnother = async (t: ExecutionContext, path: string, by: readonly string[] = []) => {
  const [command, ...args] = [...by, process.execPath, OPENER, path]
  const child = spawn(String(command), args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [said] = await once(child.stdout, 'data')
  return { child, said: String(said) }
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

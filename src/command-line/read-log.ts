import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { openSqliteStore } from '../event-store/sqlite.ts'
import { UnusableLog } from '../event-store/sqlite-schema.ts'

/** Opens the log to read it, beside a running service. @throws UnusableLog */
export const readLog = ({ eventStore: { path } }: Config): EventStore => {
  if (!existsSync(path)) throw new UnusableLog(`${path} does not exist: start the service once`)
  return openSqliteStore({
    path,
    readOnly: true,
    randomHex: () => '',
    onFatal: (error) => {
      throw error
    },
  })
}

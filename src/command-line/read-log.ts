import type { Config } from '../config.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { openSqliteStore } from '../event-store/sqlite.ts'

/** Opens the log to read it, beside a running service. @throws UnusableLog */
export const readLog = (config: Config): EventStore =>
  openSqliteStore({
    path: config.eventStore.path,
    readOnly: true,
    randomHex: () => '',
    onFatal: (error) => {
      throw error
    },
  })

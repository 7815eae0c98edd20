import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Running } from './harness.ts'

export interface Row {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What the log has recorded, as the people with the sqlite3 shell see it. */
export const recordedBy = ({ data }: Pick<Running, 'data'>): readonly Row[] => {
  const log = new DatabaseSync(join(data, 'events.db'), { readOnly: true })
  try {
    const rows = log.prepare('SELECT type, data FROM events ORDER BY position').all()
    return rows.map(({ type, data }) => ({ type: String(type), data: JSON.parse(String(data)) }))
  } finally {
    log.close()
  }
}

import type { DatabaseSync } from 'node:sqlite'

interface Trigger {
  readonly name: string
  readonly sql: string
}

/** Changes a log in ways that its triggers prevent, and makes them again as they were. */
export const withoutTriggers = (database: DatabaseSync, change: () => void): void => {
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all() as unknown as readonly Trigger[]
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`)
  change()
  for (const { sql } of triggers) database.exec(sql)
}

import { DatabaseSync } from 'node:sqlite'
import type { DataOf, EventType, Metadata } from '../../src/domain/event.ts'

/** An event as stored in the file, read without the code under test. */
export type Row = {
  readonly [T in EventType]: {
    readonly position: number
    readonly stream: string
    readonly revision: number
    readonly id: string
    readonly type: T
    readonly data: DataOf<T>
    readonly metadata: Metadata
  }
}[EventType]

const parsed = ({ position, recorded }: Record<string, unknown>): Row => ({
  ...JSON.parse(String(recorded)),
  position,
})

/** The log's events from a position on, safe while a service writes. */
export const readRows = (path: string, from = 0): Row[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    return database
      .prepare('SELECT position, recorded FROM event WHERE position >= ? ORDER BY position')
      .all(from)
      .map(parsed)
  } finally {
    database.close()
  }
}

/** The damage that SQLite's integrity check finds, normally none. */
export const damageOf = (path: string): readonly string[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const found = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    return found.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  } finally {
    database.close()
  }
}

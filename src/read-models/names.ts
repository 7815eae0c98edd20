import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

/** Keys kept in memory, so that a row costs no look-up; as a size, for which nothing is set aside before it is there. */
const KEYS_MAX = 20_000

export const NAMES_SCHEMA = 'CREATE TABLE name (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;'

/** Short numbers for the ids of SUTs and users: an index entry with one takes a tenth of what it takes with an id. */
export interface Names {
  /** The key of an id, made where it has none: keys count the ids in the order in which the log first has them. */
  readonly keyOf: (id: string) => number
  readonly find: (id: string) => number | undefined
  /** After a transaction that failed: its keys were never given. */
  readonly forget: () => void
}

export const makeNames = (db: DatabaseSync): Names => {
  const keys = new LRUCache<string, number>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  const select = db.prepare('SELECT key FROM name WHERE id = ?')
  const insert = db.prepare('INSERT INTO name (id) VALUES (?)')

  const find: Names['find'] = (id) => {
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = (select.get(id) as { key: number } | undefined)?.key
    if (key !== undefined) keys.set(id, key)
    return key
  }

  return {
    find,
    keyOf: (id) => {
      const known = find(id)
      if (known !== undefined) return known
      const key = Number(insert.run(id).lastInsertRowid)
      keys.set(id, key)
      return key
    },
    forget: () => keys.clear(),
  }
}

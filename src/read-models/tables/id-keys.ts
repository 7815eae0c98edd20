import type { DatabaseSync } from 'node:sqlite'

/** Keys kept in memory, so that a row costs no look-up; when there are more, they are looked up anew. */
const KEYS_MAX = 20_000

export const ID_KEYS_SCHEMA = 'CREATE TABLE name (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;'

/** Short numbers for the ids of SUTs and users: an index entry with one takes a tenth of what it takes with an id. */
export interface IdKeys {
  /** The key of an id, made where it has none: keys count the ids in the order in which the log first has them. */
  readonly keyOf: (id: string) => number
  readonly find: (id: string) => number | undefined
  /** After a transaction that failed: its keys were never given. */
  readonly forget: () => void
}

export const makeIdKeys = (db: DatabaseSync): IdKeys => {
  const keys = new Map<string, number>()
  const select = db.prepare('SELECT key FROM name WHERE id = ?')
  const insert = db.prepare('INSERT INTO name (id) VALUES (?)')

  const keep = (id: string, key: number): number => {
    if (keys.size >= KEYS_MAX) keys.clear()
    keys.set(id, key)
    return key
  }

  const find: IdKeys['find'] = (id) => {
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = (select.get(id) as { key: number } | undefined)?.key
    return key === undefined ? undefined : keep(id, key)
  }

  return {
    find,
    keyOf: (id) => find(id) ?? keep(id, Number(insert.run(id).lastInsertRowid)),
    forget: () => keys.clear(),
  }
}

import type { DatabaseSync } from 'node:sqlite'
import { prepare } from '../../files/sqlite.ts'

/** Keys cached in memory to save look-ups. A full cache is cleared. */
const KEYS_MAX = 20_000

export const ID_KEYS_SCHEMA = 'CREATE TABLE name (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;'

/** Surrogate keys for the ids of SUTs and users: an index entry with one is a tenth of the size. */
export interface IdKeys {
  /** The key of an id, created if needed. Keys number the ids by first appearance in the log. */
  readonly keyOf: (id: string) => number
  readonly find: (id: string) => number | undefined
  /** Called after a failed transaction: its keys do not exist. */
  readonly forget: () => void
}

export const makeIdKeys = (db: DatabaseSync): IdKeys => {
  const keys = new Map<string, number>()
  const select = prepare<{ key: number }>(db, 'SELECT key FROM name WHERE id = ?')
  const insert = db.prepare('INSERT INTO name (id) VALUES (?)')

  const keep = (id: string, key: number): number => {
    if (keys.size >= KEYS_MAX) keys.clear()
    keys.set(id, key)
    return key
  }

  const find: IdKeys['find'] = (id) => {
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = select.get(id)?.key
    return key === undefined ? undefined : keep(id, key)
  }

  return {
    find,
    keyOf: (id) => find(id) ?? keep(id, Number(insert.run(id).lastInsertRowid)),
    forget: () => keys.clear(),
  }
}

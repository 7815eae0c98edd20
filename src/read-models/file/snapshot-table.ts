import type { DatabaseSync } from 'node:sqlite'
import type { Page, Rows } from '../../domain/calendar/page.ts'
import type { Snapshot } from '../../domain/decider.ts'
import { prepare } from '../../files/sqlite.ts'

/**
 * Folded states of streams: a row for each, and its pages in another table. Saving a state again writes only new pages,
 * under ids that were never used before.
 */
export const SNAPSHOT_SCHEMA = `
  CREATE TABLE snapshot (
    stream TEXT PRIMARY KEY, version INTEGER NOT NULL, revision INTEGER NOT NULL, storePosition INTEGER NOT NULL,
    state TEXT NOT NULL, pages BLOB NOT NULL
  ) STRICT;
  CREATE TABLE page (id INTEGER PRIMARY KEY AUTOINCREMENT, numbers BLOB NOT NULL, texts TEXT) STRICT;`

interface SnapshotRow extends Omit<Snapshot, 'text' | 'pages'> {
  readonly state: string
  readonly pages: Uint8Array
}

interface PageRow {
  readonly numbers: Uint8Array
  readonly texts: string | null
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Copied, because the bytes of a row may be unaligned. */
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

export const makeSnapshotTable = (db: DatabaseSync) => {
  const select = prepare<SnapshotRow>(
    db,
    'SELECT stream, version, revision, storePosition, state, pages FROM snapshot WHERE stream = ?',
  )
  const selectPages = prepare<Pick<SnapshotRow, 'pages'>>(db, 'SELECT pages FROM snapshot WHERE stream = ?')
  const upsert = db.prepare('INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?, ?)')
  const selectPage = prepare<PageRow>(db, 'SELECT numbers, texts FROM page WHERE id = ?')
  const insertPage = db.prepare('INSERT INTO page (numbers, texts) VALUES (?, ?)')
  const removePage = db.prepare('DELETE FROM page WHERE id = ?')
  let numbered = new Map<Page, number>()

  const insert = (page: Page, { numbers, texts }: Rows): number => {
    const written = insertPage.run(bytesOf(numbers), texts.length === 0 ? null : JSON.stringify(texts))
    const id = Number(written.lastInsertRowid)
    numbered.set(page, id)
    return id
  }

  const idsBefore = (stream: string): Set<number> => {
    const row = selectPages.get(stream)
    return new Set(row && new Float64Array(bufferOf(row.pages)))
  }

  return {
    /** Pages have ids only; their rows stay in the file. */
    read: (stream: string): Snapshot | undefined => {
      const row = select.get(stream)
      if (row === undefined) return undefined
      const { version, revision, storePosition, state } = row
      const ids = [...new Float64Array(bufferOf(row.pages))]
      const pages = ids.map((id): Page => ({ rows: undefined, id }))
      return { stream, version, revision, storePosition, text: state, pages }
    },
    page: (id: number): Rows | undefined => {
      const row = selectPage.get(id)
      if (row === undefined) return undefined
      const numbers = new Int32Array(bufferOf(row.numbers))
      return { numbers, texts: row.texts === null ? [] : (JSON.parse(row.texts) as string[]) }
    },
    /** Writes inside a transaction. */
    write: ({ stream, version, revision, storePosition, text, pages }: Snapshot): void => {
      const before = idsBefore(stream)
      const ids = new Float64Array(pages.length)
      for (const [n, page] of pages.entries()) {
        // Another state of the stream may have been written since, and removed pages it does not use.
        const isThere = page.id !== undefined && before.delete(page.id)
        if (!isThere && page.rows === undefined) return
        ids[n] = isThere ? (page.id as number) : insert(page, page.rows as Rows)
      }
      for (const id of before) removePage.run(id)
      upsert.run(stream, version, revision, storePosition, text, bytesOf(ids))
    },
    /** Called after the commit: assigns pages their ids. */
    committed: (): void => {
      for (const [page, id] of numbered) page.id = id
      numbered = new Map()
    },
    /** Called after a failed transaction. */
    forget: (): void => {
      numbered = new Map()
    },
  }
}

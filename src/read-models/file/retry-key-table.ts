import type { DatabaseSync } from 'node:sqlite'
import { type Page, PageMissing } from '../../domain/calendar/page.ts'
import {
  makeSortedRuns,
  RUN_MAX,
  type Runs,
  runsFromDirectory,
  runsToDirectory,
} from '../../domain/calendar/sorted-runs.ts'
import { nameWords, RECORD_LIFETIME } from '../../domain/idempotency-records.ts'
import { type DocumentTable, RETRY_KEY } from '../tables/document-table.ts'
import { makeInsertion } from '../tables/insertion.ts'
import type { Version } from '../tables/version.ts'
import type { SnapshotTable } from './snapshot-table.ts'

/** Raise when the shape of the index changes. */
const INDEX_VERSION = 1

/** Numbers per entry: three for the key's name, two for the position of its newest version. */
const [POSITION, WIDTH] = [3, 5]
const HIGH = 0x1_0000_0000

// Times of several streams interleave, and a clock ahead for a minute would expire all keys a day early. So the newest
// are kept regardless of time.
const sortedRuns = makeSortedRuns({
  width: WIDTH,
  key: POSITION,
  keptFor: RECORD_LIFETIME,
  spanMax: Number.POSITIVE_INFINITY,
  keepMin: RUN_MAX,
})

export interface RetryKeyTable extends DocumentTable {
  /** Writes the index inside a transaction, after all rows have been flushed. */
  readonly write: () => void
  /** Called after that transaction's commit. */
  readonly committed: () => void
}

/** Calls a function of the index, loading pages and retrying until it has all it needs. */
const makeWithPages =
  (snapshots: SnapshotTable) =>
  <A>(look: () => A): A => {
    for (;;) {
      try {
        return look()
      } catch (error) {
        if (!(error instanceof PageMissing)) throw error
        const [page] = error.pages
        if (page?.id !== undefined) page.rows = snapshots.page(page.id)
        if (page?.rows === undefined) throw new Error('a page of the index of retry keys is missing', { cause: error })
      }
    }
  }

/** Maps each known key to the position of its newest document. */
const makeIndex = (db: DatabaseSync, snapshots: SnapshotTable) => {
  const dataVersion = db.prepare('PRAGMA data_version')
  const withPages = makeWithPages(snapshots)
  let seen: unknown
  let written: Runs = []
  let current = written
  /** Whether a transaction holds keys. Nobody else writes then. */
  let isStaging = false

  /** Pages as they were loaded: what an id stands for never changes. */
  const loaded = (pages: readonly Page[]): readonly Page[] => {
    const known = new Map(current.map(({ page }) => [page.id, page]))
    return pages.map((page) => known.get(page.id) ?? page)
  }

  /** Reload first: during catch-up, another thread's connection may have written. */
  const read = (): Runs => {
    if (isStaging) return current
    const now = dataVersion.get()?.data_version
    if (now === seen) return current
    const kept = snapshots.read(RETRY_KEY)
    const isUsable = kept !== undefined && kept.version === INDEX_VERSION
    written = isUsable ? runsFromDirectory(JSON.parse(kept.text) as number[][], loaded(kept.pages)) : []
    current = written
    seen = now
    return current
  }

  return {
    add: (id: string, position: number, time: number): void => {
      const runs = read()
      isStaging = true
      const row = [...nameWords(id), Math.floor(position / HIGH), (position % HIGH) | 0]
      current = withPages(() => sortedRuns.add(runs, row, time))
    },
    find: (id: string): number | undefined => {
      const runs = read()
      const found = withPages(() => sortedRuns.find(runs, nameWords(id)))
      if (found === undefined) return undefined
      const { numbers, at } = found
      return (numbers[at + POSITION] as number) * HIGH + ((numbers[at + POSITION + 1] as number) >>> 0)
    },
    write: (): void => {
      if (current === written) return
      const text = JSON.stringify(runsToDirectory(current))
      const pages = current.map(({ page }) => page)
      snapshots.write({ stream: RETRY_KEY, version: INDEX_VERSION, revision: 0, mark: 0, text, pages })
    },
    committed: (): void => {
      written = current
      isStaging = false
    },
    forget: (): void => {
      current = written
      isStaging = false
    },
  }
}

/**
 * The documents of retry keys by position, with an index of the known keys. Keys are random: a SQLite index would dirty
 * a page for each, and with a million keys a row costs five times what it costs with few. The keys are therefore in
 * sorted runs, and each transaction writes only the new runs.
 */
export const makeRetryKeyTable = (db: DatabaseSync, snapshots: SnapshotTable): RetryKeyTable => {
  const { add, flush, forget } = makeInsertion(db, RETRY_KEY, '?, ?, ?, ?, ?')
  const index = makeIndex(db, snapshots)
  const select = db.prepare(
    `SELECT position, revision, id, document, ended, position AS created FROM ${RETRY_KEY} WHERE position = ?`,
  )

  const newest = (id: string): Version | undefined => {
    const position = index.find(id)
    const version = position === undefined ? undefined : (select.get(position) as Version | undefined)
    return version?.id === id ? version : undefined
  }

  return {
    flush,
    forget: () => {
      forget()
      index.forget()
    },
    insert: ({ position, revision, id, document, ended, columns: [time] }) => {
      add([position, revision, id, document, ended])
      index.add(id, position, time as number)
    },
    newest,
    asOf: (id, revision) => {
      const version = newest(id)
      return version !== undefined && version.revision <= revision ? version : undefined
    },
    write: index.write,
    committed: index.committed,
  }
}

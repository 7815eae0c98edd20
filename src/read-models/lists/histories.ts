import type { DatabaseSync } from 'node:sqlite'
import type { Row, Table } from '../../../projections/projection.ts'
import type { SutInternal } from '../../../projections/sut.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare, readRow } from '../../files/sqlite.ts'
import { makePositionAt } from '../tables/log-index.ts'
import { CURRENT } from '../tables/schema.ts'

/** What has a history. That of a SUT includes its reservations, series, sessions and port. */
type HistoryOf = 'sut' | 'reservation' | 'user'

/** A page of a history: of all of it, or of a span of Unix milliseconds, the end excluded. */
export interface HistoryPageQuery {
  readonly of: HistoryOf
  readonly id: string
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only what follows the event at this position, which must be one of the history; `latest` is the last one. */
  readonly after?: PublicPosition | 'latest' | undefined
  readonly offset: number
  readonly limit: number
}

export interface HistoryPage {
  /** Events in the span. */
  readonly count: number
  /** Oldest first. */
  readonly entries: readonly { readonly position: PublicPosition; readonly changes: readonly ValueChange[] }[]
}

/** Versions of the objects that are of a SUT or reservation now, as they have been since they were made. */
const versionsOf = (table: 'reservation' | 'series' | 'session', column: 'sut' | 'reservation') =>
  [table, `id IN (SELECT id FROM ${table} WHERE ${column} = :id AND ${CURRENT})`] as const

/** The tables whose rows are about an object, and how. */
const SOURCES: Readonly<Record<HistoryOf, readonly (readonly [table: string, condition: string])[]>> = {
  sut: [
    ['sut', 'id = :id AND is_observed = 0'],
    versionsOf('reservation', 'sut'),
    versionsOf('series', 'sut'),
    versionsOf('session', 'sut'),
    ['listen_port', 'id = :id'],
  ],
  reservation: [['reservation', 'id = :id'], versionsOf('session', 'reservation')],
  user: [['user', 'id = :id']],
}

const makeEventReads = (db: DatabaseSync, of: HistoryOf) => {
  const each = SOURCES[of]
    .map(([table, where]) => `SELECT position FROM ${table} WHERE ${where} AND position BETWEEN :first AND :last`)
    .join(' UNION ALL ')
  return {
    count: prepare<{ n: number }>(db, `SELECT count(*) AS n FROM (${each})`),
    page: prepare<{ position: PublicPosition }>(db, `${each} ORDER BY position LIMIT :limit OFFSET :offset`),
  }
}

/** A changed value, before and after; `null` if there was none. */
export type ValueChange =
  | { readonly path: string; readonly from: unknown; readonly to: unknown }
  /** A changed secret. Its value is never shown. */
  | { readonly path: string; readonly changed: true }

/** Fields left out of histories: the event itself has its id and time. */
const IGNORED = ['_id', 'created_at', 'updated_at', 'removed_at', 'erased_at']

type Members = Readonly<Record<string, unknown>>

const isObjectOrAbsent = (value: unknown): value is Members | undefined =>
  value === undefined || (typeof value === 'object' && value !== null)

/** Escapes a part of a JSON Pointer (RFC 6901). */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const diffMembers = (before: Members, after: Members, path: string): readonly ValueChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): readonly ValueChange[] => {
    const at = `${path}/${escapePointer(name)}`
    const [from, to] = [before, after].map((of) => (Object.hasOwn(of, name) ? of[name] : undefined))
    // Between an object and null, such as a quota and the service's own, what matters is which of both it is.
    if (isObjectOrAbsent(from) && isObjectOrAbsent(to)) return diffMembers(from ?? {}, to ?? {}, at)
    const change = { path: at, from: from ?? null, to: to ?? null }
    return change.from === change.to ? [] : [change]
  })

/** The document, and of a SUT the settings that it omits. */
const comparable = ({ document, internal }: Row = { document: {}, internal: {} }): Members => {
  const { settings = {} }: Partial<Pick<SutInternal, 'settings'>> = internal
  return Object.fromEntries(Object.entries({ ...document, ...settings }).filter(([name]) => !IGNORED.includes(name)))
}

/** Lists the differences between two versions of an object. */
export const diffRows = (before: Row | undefined, after: Row | undefined): readonly ValueChange[] =>
  diffMembers(comparable(before), comparable(after), '')

interface StoredRow {
  readonly id: string
  readonly document: string
  readonly internal: string
}

const parsed = (row: StoredRow | undefined): Row | undefined =>
  row && { document: JSON.parse(row.document) as object, internal: JSON.parse(row.internal) as object }

/** The tables whose rows differ from one event to the next. */
const VERSIONED: readonly Table[] = ['sut', 'listen_port', 'reservation', 'session', 'user']

/** Makes the function that tells what the event at a position changed, from the versions of rows. */
const makeChangesAt = (db: DatabaseSync) => {
  const versions = VERSIONED.map((name) => ({
    at: prepare<StoredRow>(db, `SELECT id, document, internal FROM ${name} WHERE position = ?`),
    before: prepare<StoredRow>(
      db,
      `SELECT id, document, internal FROM ${name} WHERE id = ? AND position < ? ORDER BY position DESC LIMIT 1`,
    ),
  }))
  return (position: PublicPosition): readonly ValueChange[] =>
    versions.flatMap(({ at, before }) => {
      const row = at.get(position)
      return row === undefined ? [] : diffRows(parsed(before.get(row.id, position)), parsed(row))
    })
}

/** The events of an object by position; undefined if it has no event at the position after which they are asked for. */
export const makeHistory = (db: DatabaseSync) => {
  const positionAt = makePositionAt(db)
  const changesAt = makeChangesAt(db)
  const reads = {
    sut: makeEventReads(db, 'sut'),
    reservation: makeEventReads(db, 'reservation'),
    user: makeEventReads(db, 'user'),
  }
  return ({ of, id, from, to, after, offset, limit }: HistoryPageQuery): HistoryPage | undefined => {
    const { count, page } = reads[of]
    const begin = from === undefined ? 0 : positionAt(from - 1) + 1
    const end = to === undefined ? Number.MAX_SAFE_INTEGER : positionAt(to - 1)
    const countIn = (first: number, last: number): number => readRow(count, { id, first, last }).n
    if (typeof after === 'number' && countIn(after, after) === 0) return undefined
    const first = after === 'latest' ? end + 1 : Math.max(begin, (after ?? -1) + 1)
    const rows = page.all({ id, first, last: end, limit, offset })
    const entries = rows.map(({ position }) => ({ position, changes: changesAt(position) }))
    return { count: countIn(begin, end), entries }
  }
}

import type { Projection, Row, Table } from '../../../projections/projection.ts'
import type { Logged } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { ViewsFile } from '../file/views-file.ts'
import { furtherValues } from '../tables/schema.ts'
import type { EventRow, NewVersion, RowChange, Version } from '../tables/version.ts'

export type Pending = ReturnType<typeof makePending>

/**
 * Rows that are not committed yet. All are released together: V8 reallocates a map that entries enter and leave one by
 * one, and the old table, usually in the old generation by then, keeps all its entries alive for seconds.
 */
const makeRows = () => {
  let rows: EventRow[] = []
  /** The versions among them, oldest first. */
  let versions = new Map<Table, Map<string, NewVersion[]>>()
  /** How many are in the open transaction. */
  let staged = 0
  return {
    add: (row: EventRow): void => {
      rows.push(row)
      const { projection, version } = row
      if (version === undefined) return
      const ofProjection = versions.get(projection) ?? new Map<string, NewVersion[]>()
      versions.set(projection, ofProjection)
      const ofId = ofProjection.get(version.id)
      if (ofId === undefined) ofProjection.set(version.id, [version])
      else ofId.push(version)
    },
    find: (projection: Table, id: string, revision: number, withObserved: boolean): NewVersion | undefined =>
      versions
        .get(projection)
        ?.get(id)
        ?.findLast((version) => version.revision <= revision && (withObserved || !version.isObserved)),
    count: (): number => rows.length,
    /** How many are in no transaction yet. */
    unstaged: (): number => rows.length - staged,
    /** Takes the unstaged rows in log order, to be staged. */
    takeUnstaged: (): readonly EventRow[] => {
      const taken = rows.slice(staged)
      staged = rows.length
      return taken
    },
    /** Called after a failed transaction: all its rows must be written again. */
    unstageAll: (): void => {
      staged = 0
    },
    /** Called after all have been committed. */
    written: (): void => {
      rows = []
      versions = new Map()
      staged = 0
    },
  }
}

const parsed = ({ document, internal }: Version): Row => ({
  document: JSON.parse(document) as object,
  internal: JSON.parse(internal) as object,
})

/** Folded rows that are not committed yet, and reads that combine them with the file. */
export const makePending = (projections: readonly Projection[], file: Pick<ViewsFile, 'newest' | 'asOf'>) => {
  const { add, find, ...rows } = makeRows()

  const newest = (projection: Table, id: string): Version | undefined =>
    find(projection, id, Number.POSITIVE_INFINITY, true) ?? file.newest(projection, id)

  const foldInto = (projection: Projection, id: string, event: Logged, position: PublicPosition): RowChange => {
    const before = projection.begins(event) ? undefined : newest(projection.name, id)
    const isObserved = projection.isObserved?.(event) ?? false
    const { document, internal } = projection.evolve(before && parsed(before), event)
    const after: NewVersion = {
      position,
      revision: isObserved ? (before?.revision ?? event.revision) : event.revision,
      id,
      document: JSON.stringify(document),
      internal: JSON.stringify(internal),
      ended: projection.ended?.(event) ?? before?.ended ?? null,
      created: before?.created ?? position,
      observed: isObserved ? event.revision + 1 : (before?.observed ?? 0),
      isObserved,
      replaces: before?.position ?? null,
      further: furtherValues(projection.name, { document, internal }),
    }
    add({ projection: projection.name, version: after })
    return { projection: projection.name, before, after }
  }

  return {
    ...rows,
    /** Says which documents changed. */
    fold: (event: Logged, position: PublicPosition): readonly RowChange[] => {
      const { storePosition, id, leaf, metadata } = event
      add({ logRow: { position, storePosition, id, leaf, time: epochMillisecondsOf(metadata.time) } })
      const changes: RowChange[] = []
      for (const projection of projections) {
        const key = projection.key(event)
        if (key !== undefined) changes.push(foldInto(projection, key, event, position))
      }
      return changes
    },
    newest,
    /**
     * The version that the object's own event at a revision left, or the newest one before.
     *
     * @param withObserved up to the next own event, with what was observed since
     */
    asOf: (projection: Table, id: string, revision: number, withObserved = false): Version | undefined =>
      find(projection, id, revision, withObserved) ?? file.asOf(projection, id, revision, withObserved),
  }
}

import type { Row as Folded, Projection, Table } from '../../../projections/projection.ts'
import type { Logged } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { ViewsFile } from '../file/views-file.ts'
import { furtherValues } from '../tables/schema.ts'
import type { EventRow, NewVersion, RowChange, Version } from '../tables/version.ts'

export type Pending = ReturnType<typeof makePending>

/** Rows per chunk. More rows mean fewer chunks to search; fewer mean less copying when a chunk is committed in part. */
const CHUNK = 512

/** Consecutive rows, and their versions by projection and id, oldest first. */
interface Chunk {
  readonly rows: EventRow[]
  readonly versions: Map<Table, Map<string, NewVersion[]>>
}

const positionOf = ({ logRow, version }: EventRow): PublicPosition => (logRow ?? version).position

const enter = ({ rows, versions }: Chunk, row: EventRow): void => {
  rows.push(row)
  const { projection, version } = row
  if (version === undefined) return
  const ofProjection = versions.get(projection) ?? new Map<string, NewVersion[]>()
  versions.set(projection, ofProjection)
  const ofId = ofProjection.get(version.id)
  if (ofId === undefined) ofProjection.set(version.id, [version])
  else ofId.push(version)
}

const chunkOf = (rows: readonly EventRow[]): Chunk => {
  const chunk: Chunk = { rows: [], versions: new Map() }
  for (const row of rows) enter(chunk, row)
  return chunk
}

/** The rest of a chunk after a position, if any. */
const afterPosition = (chunk: Chunk, position: PublicPosition): readonly Chunk[] => {
  const first = chunk.rows.findIndex((row) => positionOf(row) > position)
  if (first === 0) return [chunk]
  return first === -1 ? [] : [chunkOf(chunk.rows.slice(first))]
}

/**
 * Keeps rows in chunks that are released as a whole. V8 reallocates a map that entries enter and leave one by one. The
 * old table is usually in the old generation by then, and keeps all its entries alive for seconds.
 */
const makeChunks = (size: number) => {
  let chunks: Chunk[] = []
  let unstaged: EventRow[] = []
  return {
    add: (row: EventRow): void => {
      let last = chunks.at(-1)
      if (last === undefined || last.rows.length >= size) {
        last = chunkOf([])
        chunks.push(last)
      }
      enter(last, row)
      unstaged.push(row)
    },
    find: (projection: Table, id: string, revision: number, withObserved: boolean): NewVersion | undefined => {
      for (let n = chunks.length - 1; n >= 0; n--) {
        const versions = chunks[n]?.versions.get(projection)?.get(id)
        const found = versions?.findLast(
          (version) => version.revision <= revision && (withObserved || !version.isObserved),
        )
        if (found !== undefined) return found
      }
      return undefined
    },
    count: (): number => chunks.reduce((count, { rows }) => count + rows.length, 0),
    /** How many are in no transaction yet. */
    unstaged: (): number => unstaged.length,
    /** Takes the unstaged rows in log order, to be staged. */
    takeUnstaged: (): readonly EventRow[] => {
      const taken = unstaged
      unstaged = []
      return taken
    },
    /** Called after a failed transaction: all its rows must be written again. */
    unstageAll: (): void => {
      unstaged = chunks.flatMap(({ rows }) => rows)
    },
    /** Called after rows up to a public position have been committed. */
    written: (upTo: PublicPosition): void => {
      chunks = chunks.flatMap((chunk) => afterPosition(chunk, upTo))
    },
  }
}

const parsed = ({ document, internal }: Version): Folded => ({
  document: JSON.parse(document) as object,
  internal: JSON.parse(internal) as object,
})

/**
 * Folded rows that are not committed yet, and reads that combine them with the file.
 *
 * @param chunk rows released together
 */
export const makePending = (projections: readonly Projection[], file: ViewsFile, chunk = CHUNK) => {
  const { add, find, ...chunks } = makeChunks(chunk)

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
    return { projection: projection.name, eventId: event.id, before, after }
  }

  return {
    ...chunks,
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

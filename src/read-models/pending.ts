import type { Projection } from '../../projections/projection.ts'
import type { Logged } from '../domain/event.ts'
import type { NewVersion, Version } from './version.ts'
import type { Row, ViewsFile } from './views-file.ts'

/** Folded rows that are not in the file yet, and reads that see them together with those that are. */
export interface Pending {
  readonly fold: (event: Logged, position: number) => void
  readonly newest: (projection: Projection['name'], id: string) => Version | undefined
  readonly asOf: (projection: Projection['name'], id: string, revision: number) => Version | undefined
  readonly count: () => number
  /** How many are in no transaction yet. */
  readonly unstaged: () => number
  /** Those, in the order of the log, to be put into one. */
  readonly takeUnstaged: () => readonly Row[]
  /** After a transaction has failed: all its rows are to be written again. */
  readonly unstageAll: () => void
  /** After rows up to a public position have been committed: all that were taken at a time, or none of them. */
  readonly written: (upTo: number) => void
}

/** Rows that are staged together, and the versions among them by projection and id, the oldest first. */
interface Chunk {
  readonly rows: Row[]
  readonly versions: ReadonlyMap<string, Map<string, NewVersion[]>>
}

const enter = ({ rows, versions }: Chunk, row: Row): void => {
  rows.push(row)
  if (row.version === undefined) return
  const ofProjection = versions.get(row.projection) as Map<string, NewVersion[]>
  const ofId = ofProjection.get(row.version.id)
  if (ofId === undefined) ofProjection.set(row.version.id, [row.version])
  else ofId.push(row.version)
}

const isUpTo = ({ rows }: Chunk, position: number): boolean => {
  const { place, version } = rows.at(-1) as Row
  return (place ?? version).position <= position
}

/**
 * Keeps rows by chunks, of which each is let go of as a whole. Of a map that rows come into and leave one by one the engine
 * makes a new one every so often; the one before has mostly got into its old generation by then, and keeps all that it
 * refers to, dead as it is, for seconds.
 */
const makeChunks = (projections: readonly Projection[]) => {
  const noRows = (): Chunk => ({ rows: [], versions: new Map(projections.map(({ name }) => [name, new Map()])) })
  let staged: Chunk[] = []
  let open = noRows()
  return {
    add: (row: Row): void => enter(open, row),
    find: (projection: string, id: string, revision: number): NewVersion | undefined => {
      const isUpToIt = (version: NewVersion): boolean => version.revision <= revision
      let found = open.versions.get(projection)?.get(id)?.findLast(isUpToIt)
      for (let n = staged.length - 1; found === undefined && n >= 0; n--) {
        found = staged[n]?.versions.get(projection)?.get(id)?.findLast(isUpToIt)
      }
      return found
    },
    count: () => staged.reduce((count, { rows }) => count + rows.length, open.rows.length),
    unstaged: () => open.rows.length,
    takeUnstaged: (): readonly Row[] => {
      const { rows } = open
      if (rows.length === 0) return rows
      staged.push(open)
      open = noRows()
      return rows
    },
    unstageAll: (): void => {
      if (staged.length === 0) return
      const chunks = [...staged, open]
      staged = []
      open = noRows()
      for (const { rows } of chunks) for (const row of rows) enter(open, row)
    },
    written: (upTo: number): void => {
      staged = staged.filter((chunk) => !isUpTo(chunk, upTo))
    },
  }
}

export const makePending = (projections: readonly Projection[], file: ViewsFile): Pending => {
  const { add, find, ...chunks } = makeChunks(projections)

  const newest: Pending['newest'] = (projection, id) =>
    find(projection, id, Number.POSITIVE_INFINITY) ?? file.newest(projection, id)

  const foldInto = (projection: Projection, id: string, event: Logged, position: number): void => {
    const before = projection.begins(event) ? undefined : newest(projection.name, id)
    const document = projection.evolve(before && (JSON.parse(before.document) as object), event)
    const version: NewVersion = {
      position,
      revision: event.revision,
      id,
      document: JSON.stringify(document),
      ended: projection.ended(event),
      created: before?.created ?? position,
      replaces: before?.position ?? null,
      columns: projection.columns?.(document) ?? [],
    }
    add({ projection: projection.name, version })
  }

  return {
    ...chunks,
    fold: (event, position) => {
      add({ place: { position, mark: event.mark, id: event.id, leaf: event.leaf } })
      for (const projection of projections) {
        const key = projection.key(event)
        if (key !== undefined) foldInto(projection, key, event, position)
      }
    },
    newest,
    asOf: (projection, id, revision) => find(projection, id, revision) ?? file.asOf(projection, id, revision),
  }
}

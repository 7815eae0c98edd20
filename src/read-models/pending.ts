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
  /** After rows up to a public position have been committed. */
  readonly written: (upTo: number) => void
}

/** Takes out what rows there are up to a position. */
const takeUpTo = (rows: Row[], upTo: number): readonly Row[] => {
  const first = rows.findIndex(({ place, version }) => (place ?? version).position > upTo)
  return rows.splice(0, first === -1 ? rows.length : first)
}

/** Versions by projection and id, the oldest first. */
type Versions = ReadonlyMap<string, Map<string, Version[]>>

/** Takes the oldest versions away. */
const drop = (pending: Versions, gone: readonly Row[]): void => {
  for (const { projection, version } of gone) {
    if (projection === undefined) continue
    const ofProjection = pending.get(projection) as Map<string, Version[]>
    const versions = ofProjection.get(version.id) as Version[]
    if (versions.length === 1) ofProjection.delete(version.id)
    else versions.shift()
  }
}

export const makePending = (projections: readonly Projection[], file: ViewsFile): Pending => {
  const pending: Versions = new Map(projections.map(({ name }) => [name, new Map()]))
  const rows: Row[] = []
  let staged = 0

  const newest: Pending['newest'] = (projection, id) =>
    pending.get(projection)?.get(id)?.at(-1) ?? file.newest(projection, id)

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
    const versions = pending.get(projection.name) as Map<string, Version[]>
    const known = versions.get(id)
    if (known === undefined) versions.set(id, [version])
    else known.push(version)
    rows.push({ projection: projection.name, version })
  }

  return {
    fold: (event, position) => {
      rows.push({ place: { position, mark: event.mark, id: event.id, leaf: event.leaf } })
      for (const projection of projections) {
        const key = projection.key(event)
        if (key !== undefined) foldInto(projection, key, event, position)
      }
    },
    newest,
    asOf: (projection, id, revision) =>
      pending
        .get(projection)
        ?.get(id)
        ?.findLast((version) => version.revision <= revision) ?? file.asOf(projection, id, revision),
    count: () => rows.length,
    unstaged: () => rows.length - staged,
    takeUnstaged: () => {
      const from = staged
      staged = rows.length
      return rows.slice(from)
    },
    unstageAll: () => {
      staged = 0
    },
    written: (upTo) => {
      const gone = takeUpTo(rows, upTo)
      staged = Math.max(0, staged - gone.length)
      drop(pending, gone)
    },
  }
}

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
  /** After it has been committed. */
  readonly clear: () => void
}

export const makePending = (projections: readonly Projection[], file: ViewsFile): Pending => {
  const pending = new Map<string, Map<string, Version[]>>(projections.map(({ name }) => [name, new Map()]))
  let rows: Row[] = []
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
      columns: projection.columns?.(document),
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
    clear: () => {
      for (const versions of pending.values()) versions.clear()
      rows = []
      staged = 0
    },
  }
}

import { LRUCache } from 'lru-cache'
import type { Projection } from '../../projections/projection.ts'
import type { Recorded } from '../domain/event.ts'
import type { Version, ViewsFile } from './views-file.ts'

/** Parsed documents kept, so that an update does not parse its predecessor. */
const DOCUMENTS_MAX = 10_000

/** Folded rows that are not in the file yet, and reads that see them together with those that are. */
export interface Pending {
  readonly fold: (event: Recorded, position: number) => void
  readonly newest: (projection: Projection['name'], id: string) => Version | undefined
  readonly asOf: (projection: Projection['name'], id: string, revision: number) => Version | undefined
  readonly rows: () => ReadonlyMap<string, readonly Version[]>
  readonly count: () => number
  readonly clear: () => void
}

export const makePending = (projections: readonly Projection[], file: ViewsFile): Pending => {
  const pending = new Map<string, Map<string, Version[]>>(projections.map(({ name }) => [name, new Map()]))
  const documents = new LRUCache<string, object>({ max: DOCUMENTS_MAX })
  let count = 0

  const newest: Pending['newest'] = (projection, id) =>
    pending.get(projection)?.get(id)?.at(-1) ?? file.newest(projection, id)

  const standing = (projection: Projection, id: string): object | undefined => {
    const cached = documents.get(`${projection.name} ${id}`)
    if (cached !== undefined) return cached
    const version = newest(projection.name, id)
    return version && (JSON.parse(version.document) as object)
  }

  const foldInto = (projection: Projection, id: string, event: Recorded, position: number): void => {
    const document = projection.evolve(projection.begins(event) ? undefined : standing(projection, id), event)
    documents.set(`${projection.name} ${id}`, document)
    const { revision } = event
    const version = { position, revision, id, document: JSON.stringify(document), ended: projection.ended(event) }
    const versions = pending.get(projection.name) as Map<string, Version[]>
    const known = versions.get(id)
    if (known === undefined) versions.set(id, [version])
    else known.push(version)
    count++
  }

  return {
    fold: (event, position) => {
      for (const projection of projections) {
        const id = projection.key(event)
        if (id !== undefined) foldInto(projection, id, event, position)
      }
    },
    newest,
    asOf: (projection, id, revision) =>
      pending
        .get(projection)
        ?.get(id)
        ?.findLast((version) => version.revision <= revision) ?? file.asOf(projection, id, revision),
    rows: () =>
      new Map(
        [...pending].map(([projection, versions]) => [
          projection,
          [...versions.values()].flat().sort((a, b) => a.position - b.position),
        ]),
      ),
    count: () => count,
    clear: () => {
      for (const versions of pending.values()) versions.clear()
      count = 0
    },
  }
}

import type { EndKind, Projection } from '../../projections/projection.ts'
import { type Past, recordedAt } from '../domain/given-when-then.ts'

/** The result of a projection for one object. */
export interface Made<D> {
  readonly document: D
  readonly ended: EndKind | null
}

/** Folds past events into the document of one object. Skips events of other objects, as the projector does. */
export const foldedBy =
  <D extends object>(projection: Projection<D>) =>
  (id: string, ...past: readonly Past[]): Made<D> => {
    let made: Made<D> | undefined
    for (const [revision, happened] of past.entries()) {
      const event = recordedAt(revision, happened)
      if (projection.key(event) !== id) continue
      const before = projection.begins(event) ? undefined : made?.document
      made = { document: projection.evolve(before, event), ended: projection.ended?.(event) ?? null }
    }
    if (made === undefined) throw new Error(`nothing happened to ${id}`)
    return made
  }

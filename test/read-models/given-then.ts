import type { EndKind, Projection, Row } from '../../projections/projection.ts'
import { type Past, recordedAt } from '../domain/given-when-then.ts'

/** The result of a projection for one object. */
export interface Made<D extends object, I extends object> extends Row<D, I> {
  readonly ended: EndKind | null
}

/** Folds past events into the row of one object. Skips events of other objects, as the projector does. */
export const foldedBy =
  <D extends object, I extends object>(projection: Projection<D, I>) =>
  (id: string, ...past: readonly Past[]): Made<D, I> => {
    let made: Made<D, I> | undefined
    for (const [revision, happened] of past.entries()) {
      const event = recordedAt(revision, happened)
      if (projection.key(event) !== id) continue
      const before = projection.begins(event) ? undefined : made
      made = { ...projection.evolve(before, event), ended: projection.ended?.(event) ?? null }
    }
    if (made === undefined) throw new Error(`nothing happened to ${id}`)
    return made
  }

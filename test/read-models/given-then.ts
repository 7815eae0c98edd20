import type { Projection } from '../../projections/projection.ts'
import { type Past, recordedAt } from '../domain/given-when-then.ts'

/** What a projection has made of one object. */
export interface Made<D> {
  readonly document: D
  readonly ended: ReturnType<Projection['ended']>
}

/** `given(what happened)` is the document after it; what belongs to other objects is left out, as the host does. */
export const foldedBy =
  <D extends object>(projection: Projection<D>) =>
  (id: string, ...past: readonly Past[]): Made<D> => {
    let made: Made<D> | undefined
    for (const [revision, happened] of past.entries()) {
      const event = recordedAt(revision, happened)
      if (projection.key(event) !== id) continue
      const before = projection.begins(event) ? undefined : made?.document
      made = { document: projection.evolve(before, event), ended: projection.ended(event) }
    }
    if (made === undefined) throw new Error(`nothing happened to ${id}`)
    return made
  }

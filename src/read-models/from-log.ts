import type { Projection } from '../../projections/projection.ts'
import { BEGINNING, type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import type { Version } from './tables/version.ts'

/** A document folded from its stream alone, and the store position of its last event. */
export interface FromLog {
  readonly version: Version
  readonly mark: number
}

/**
 * Folds a document as of a revision of its stream without the views. Used when views cannot be written, so that
 * commands are still answered. Reads the whole stream.
 */
export const makeFromLog =
  (store: EventStore, projections: readonly Projection[]) =>
  async (name: Projection['name'], id: string, revision: number, stream: string): Promise<FromLog> => {
    const projection = projections.find((one) => one.name === name) as Projection
    let document: object | undefined
    let last: { revision: number; mark: number; ended: Version['ended'] } | undefined
    for await (const page of store.readStream(stream, NO_STREAM)) {
      for (const event of page) {
        if (event.revision > revision || projection.key(event) !== id) continue
        document = projection.evolve(document, event)
        last = { revision: event.revision, mark: event.mark, ended: projection.ended(event) }
      }
    }
    if (document === undefined || last === undefined)
      throw new StoreUnavailable(`${stream} does not have ${name} ${id} yet`)
    const { mark, ...of } = last
    return { version: { position: BEGINNING, created: BEGINNING, id, document: JSON.stringify(document), ...of }, mark }
  }

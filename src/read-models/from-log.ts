import type { Projection } from '../../projections/projection.ts'
import type { Recorded } from '../domain/event.ts'
import { BEFORE_FIRST, type StorePosition } from '../domain/values/position.ts'
import { BEGINNING, type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import type { Version } from './tables/version.ts'

/** A document folded from its streams alone, and the store position of its last event. */
interface FromLog {
  readonly version: Version
  readonly storePosition: StorePosition
}

async function* eventsOf(store: Pick<EventStore, 'readStream'>, stream: string): AsyncGenerator<Recorded> {
  for await (const page of store.readStream(stream, NO_STREAM)) yield* page
}

/** The events of two streams in log order. */
async function* inLogOrder(own: AsyncGenerator<Recorded>, others: AsyncGenerator<Recorded>): AsyncGenerator<Recorded> {
  let [first, second] = [await own.next(), await others.next()]
  while (!first.done || !second.done) {
    if (second.done || (!first.done && first.value.storePosition <= second.value.storePosition)) {
      yield first.value
      first = await own.next()
    } else {
      yield second.value
      second = await others.next()
    }
  }
}

/**
 * Folds a document as of a revision of its stream without the views. Used when views cannot be written, so that
 * commands are still answered. Reads its streams whole.
 */
export const makeFromLog =
  (store: EventStore, projections: readonly Projection[]) =>
  async (
    name: Projection['name'],
    id: string,
    revision: number,
    stream: string,
    withObserved = false,
  ): Promise<FromLog> => {
    const projection = projections.find((one) => one.name === name) as Projection
    const own = eventsOf(store, stream)
    const other = projection.observedIn?.(id)
    let document: object | undefined
    let version: Pick<Version, 'revision' | 'ended' | 'observed'> | undefined
    let storePosition = BEGINNING
    /** The document with what was observed since its last own event. */
    let later: { document: object; observed: number; storePosition: StorePosition } | undefined
    for await (const event of other === undefined ? own : inLogOrder(own, eventsOf(store, other))) {
      if (projection.key(event) !== id) continue
      if (event.stream !== stream) {
        const observed = event.revision + 1
        later = {
          document: projection.evolve(later?.document ?? document, event),
          observed,
          storePosition: event.storePosition,
        }
      } else {
        if (event.revision > revision) break
        document = projection.evolve(later?.document ?? document, event)
        const ended = projection.ended?.(event) ?? version?.ended ?? null
        const observed = later?.observed ?? version?.observed
        version = { revision: event.revision, ended, ...(observed !== undefined && { observed }) }
        storePosition = event.storePosition
        later = undefined
      }
    }
    if (document === undefined || version === undefined)
      throw new StoreUnavailable(`${stream} does not have ${name} ${id} yet`)
    const shown = withObserved && later !== undefined ? later : { document, storePosition, observed: version.observed }
    const { observed } = shown
    const nowhere = { position: BEFORE_FIRST, created: BEFORE_FIRST }
    return {
      version: { ...nowhere, id, ...version, document: JSON.stringify(shown.document), ...(observed && { observed }) },
      storePosition: shown.storePosition,
    }
  }

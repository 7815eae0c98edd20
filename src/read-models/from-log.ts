import type { Projection, Row, Table } from '../../projections/projection.ts'
import type { Recorded } from '../domain/event.ts'
import { BEFORE_FIRST, type StorePosition } from '../domain/values/position.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
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
  async (name: Table, id: string, revision: number, stream: string, withObserved = false): Promise<FromLog> => {
    const projection = projections.find((one) => one.name === name) as Projection
    const own = eventsOf(store, stream)
    const other = projection.observedIn?.(id)
    /** The newest row, and whether it is of an own event or of what was observed since the last one. */
    let row: Row | undefined
    let found: (Pick<Version, 'revision' | 'ended' | 'observed'> & Omit<FromLog, 'version'> & { row: Row }) | undefined
    let observed = 0
    for await (const event of other === undefined ? own : inLogOrder(own, eventsOf(store, other))) {
      if (projection.key(event) !== id) continue
      const isOwn = event.stream === stream
      if (isOwn && event.revision > revision) break
      row = projection.evolve(row, event)
      if (!isOwn) observed = event.revision + 1
      if (!isOwn && !withObserved) continue
      const of = isOwn ? event.revision : (found?.revision ?? event.revision)
      const ended = projection.ended?.(event) ?? found?.ended ?? null
      found = { row, revision: of, ended, observed, storePosition: event.storePosition }
    }
    if (found === undefined) throw new StoreUnavailable(`${stream} does not have ${name} ${id} yet`)
    const {
      storePosition,
      row: { document, internal },
      ...version
    } = found
    const nowhere = { position: BEFORE_FIRST, created: BEFORE_FIRST }
    const texts = { document: JSON.stringify(document), internal: JSON.stringify(internal) }
    return { version: { ...nowhere, id, ...version, ...texts }, storePosition }
  }

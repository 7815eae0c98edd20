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

/** The events of streams in log order. */
const readStreams = async (
  { readStream }: Pick<EventStore, 'readStream'>,
  streams: readonly string[],
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for (const stream of streams) for await (const page of readStream(stream, NO_STREAM)) events.push(...page)
  return events.sort((a, b) => a.storePosition - b.storePosition)
}

/**
 * Folds a document as of a revision of its stream without the views. Used when views cannot be written, so that
 * commands are still answered. Reads its streams whole.
 */
export const makeFromLog =
  (store: Pick<EventStore, 'readStream'>, projections: readonly Projection[]) =>
  async (name: Table, id: string, revision: number, stream: string, withObserved = false): Promise<FromLog> => {
    const projection = projections.find((one) => one.name === name) as Projection
    const observedIn = projection.observedIn?.(id)
    let row: Row | undefined
    let observed = 0
    let found: FromLog | undefined
    for (const event of await readStreams(store, [stream, ...(observedIn === undefined ? [] : [observedIn])])) {
      if (projection.key(event) !== id) continue
      const isOwn = event.stream === stream
      if (isOwn && event.revision > revision) break
      row = projection.evolve(row, event)
      if (!isOwn) observed = event.revision + 1
      if (!isOwn && !withObserved) continue
      const version: Version = {
        ...{ position: BEFORE_FIRST, created: BEFORE_FIRST, id, observed },
        revision: isOwn ? event.revision : (found?.version.revision ?? event.revision),
        document: JSON.stringify(row.document),
        internal: JSON.stringify(row.internal),
        ended: projection.ended?.(event) ?? found?.version.ended ?? null,
      }
      found = { version, storePosition: event.storePosition }
    }
    if (found === undefined) throw new StoreUnavailable(`${stream} does not have ${name} ${id} yet`)
    return found
  }

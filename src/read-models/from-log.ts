import { projections } from '../../projections/index.ts'
import type { Projection, Table } from '../../projections/projection.ts'
import type { Recorded } from '../domain/event.ts'
import { BEFORE_FIRST, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import { makePending } from './projector/pending.ts'

const NOTHING_WRITTEN = { newest: () => undefined, asOf: () => undefined }
/** Of the tree, which these rows never reach. */
const NO_LEAF = new Uint8Array()

/**
 * Folds a document as of a revision of its stream without the views. Used when views cannot be written, so that
 * commands are still answered. Reads its streams whole. Also has the store position of its last event.
 */
export const makeFromLog =
  ({ readStream }: Pick<EventStore, 'readStream'>) =>
  async (name: Table, id: string, revision: number, stream: string, withObserved = false) => {
    const projection = projections.find((one) => one.name === name) as Projection
    const streams = [stream, projection.observedIn?.(id)].filter((each) => each !== undefined)
    const events: Recorded[] = []
    for (const each of streams)
      for await (const page of readStream(each, NO_STREAM))
        events.push(...page.filter((event) => projection.key(event) === id))
    events.sort((a, b) => a.storePosition - b.storePosition)
    const pending = makePending([projection], NOTHING_WRITTEN)
    for (const [n, event] of events.entries()) pending.fold({ ...event, leaf: NO_LEAF }, toPublicPosition(n))
    const version = pending.asOf(name, id, revision, withObserved)
    if (version === undefined) throw new StoreUnavailable(`${stream} does not have ${name} ${id} yet`)
    const { storePosition } = events[version.position] as Recorded
    return { version: { ...version, position: BEFORE_FIRST, created: BEFORE_FIRST }, storePosition }
  }

import { damageIn, storedEvents } from '../event-store/sqlite/copy.ts'
import { decodeEvent, leafHash, UndecodableEvent } from '../event-store/stored-event.ts'
import { type Checkpoint, rootOf } from './checkpoint.ts'

/** Called now and then with the number of events looked at. */
export type OnProgress = (done: number) => void

const EVERY = 10_000

/** What is found on the way through a copy. */
interface Found {
  events: number
  last: string | null
  readonly problems: string[]
}

/** The leaf hash of every event as it follows from the event itself, whatever hash is kept with it. */
function* ownLeaves(path: string, found: Found, onProgress: OnProgress): Generator<Uint8Array> {
  for (const { position, recorded, leaf } of storedEvents(path, Number.MAX_SAFE_INTEGER)) {
    const own = leafHash(recorded)
    if (position !== found.events) found.problems.push(`the event at ${found.events} is missing`)
    if (!own.equals(leaf)) found.problems.push(`the event at ${position} is not the one that its hash was taken of`)
    found.last = decodeEvent(recorded, position).id
    found.events++
    if (found.events % EVERY === 0) onProgress(found.events)
    if (found.problems.length > 0) return
    yield own
  }
}

/**
 * What is wrong with the copy of a log, in sentences; nothing when the file is sound, every event can be read, and all of
 * them together are what the checkpoint says.
 */
export const findProblems = (path: string, checkpoint: Checkpoint, onProgress: OnProgress): readonly string[] => {
  const damage = damageIn(path)
  if (damage.length > 0) return damage.slice(0, 5)
  const found: Found = { events: 0, last: null, problems: [] }
  let root: string
  try {
    root = rootOf(ownLeaves(path, found, onProgress))
  } catch (error) {
    if (error instanceof UndecodableEvent) return [error.message]
    throw error
  }
  if (found.problems.length > 0) return found.problems
  if (found.events !== checkpoint.events) return [`it has ${found.events} events, the log had ${checkpoint.events}`]
  if (found.last !== checkpoint.last_event) return ['its last event is another than that of the log']
  return root === checkpoint.root ? [] : ['its events together are others than those of the log']
}

import type { Either } from 'fp-ts/lib/Either.js'
import type { Event, Recorded, Role } from './event.ts'
import type { Failure } from './failure.ts'

/**
 * The rules of one kind of stream. `evolve` folds what was recorded and never refuses; `decide` says what a command
 * records, `[]` meaning that its effect already holds. Both are pure: time, random bits and the actor come in.
 */
export interface Decider<S extends StreamState, C> {
  readonly initial: S
  /** Raised when the folded state changes its shape, so that snapshots of the old one are not used. */
  readonly version: number
  readonly evolve: (state: S, event: Recorded) => S
  /** `now` is in Unix milliseconds and never before the stream's last event. */
  readonly decide: (state: S, command: C, now: number) => Either<Failure, readonly Event[]>
  /** How much of the memory for folded states this one takes; 1 is an empty one. */
  readonly weight: (state: S) => number
}

/** What the command loop needs to know of any folded state. */
export interface StreamState {
  /** Unix milliseconds of the last event; 0 before the first. */
  readonly time: number
  /** The retry keys of the last day, oldest first. */
  readonly keys: readonly KnownKey[]
}

/** A command that was recorded under a retry key. */
export interface KnownKey {
  /** The event's `metadata.key`: what was retried, and the request it came with. */
  readonly key: string
  /** The revision of the command's last event: its answer is the object as of then. */
  readonly revision: number
  /** The object the command was about. */
  readonly _id: string
  readonly time: number
  /** Whether the command created the object: it was answered 201. */
  readonly created: boolean
}

export interface Actor {
  readonly _id: string
  readonly role: Role | 'system'
}

/** Milliseconds: how long a retry key is known. */
const KEYS_KNOWN_FOR = 24 * 3_600_000

/** `keys` after an event: a day's worth, with the event's own as the newest. */
export const knownKeys = (
  keys: readonly KnownKey[],
  event: Recorded,
  _id: string,
  time: number,
): readonly KnownKey[] => {
  const { key } = event.metadata
  if (key === undefined) return keys
  const firstKept = keys.findIndex((known) => known.time > time - KEYS_KNOWN_FOR)
  const kept = firstKept === -1 ? [] : keys.slice(firstKept).filter((known) => known.key !== key)
  const created = event.type === 'SutCreated' || event.type === 'ReservationCreated'
  return [...kept, { key, revision: event.revision, _id, time, created }]
}

/** A folded state as it is kept beside the views; `version` is the decider's. */
export interface Snapshot {
  readonly stream: string
  readonly version: number
  readonly revision: number
  /** Of the last event folded: a snapshot is written when the views have come this far, never before. */
  readonly mark: number
  readonly state: string
}

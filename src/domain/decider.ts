import type { Either } from 'fp-ts/lib/Either.js'
import type { Packed } from './calendar/page.ts'
import type { Event, Recorded, Role } from './event.ts'
import type { Failure } from './failure.ts'
import type { IdempotencyRecords } from './idempotency-records.ts'

/**
 * The rules of one kind of stream. `evolve` folds what was recorded and never refuses; `decide` says what a command
 * records, `[]` meaning that its effect already holds. Both are pure: time, random bits and the actor come in. Where they
 * need a page of the state that is not in memory they throw PageMissing, and are called again when it is.
 */
export interface Decider<S extends StreamState, C> {
  readonly initial: S
  /** Raised when the folded state changes its shape, so that snapshots of the old one are not used. */
  readonly version: number
  readonly evolve: (state: S, event: Recorded) => S
  /** `now` is in Unix milliseconds and never before the stream's last event. */
  readonly decide: (state: S, command: C, now: number) => Either<Failure, readonly Event[]>
  /** Bytes of memory that a state takes when all its pages are there. */
  readonly weight: (state: S) => number
  /** What a snapshot keeps of a state. */
  readonly pack: (state: S) => Packed
  readonly unpack: (packed: Packed) => S
}

/** What the command loop needs to know of any folded state. */
export interface StreamState {
  /** Unix milliseconds of the last event; 0 before the first. */
  readonly time: number
  /** The retry keys of the last day at least. */
  readonly keys: IdempotencyRecords
}

export interface Actor {
  readonly _id: string
  readonly role: Role | 'system'
}

/** A folded state as it is kept beside the views; `version` is the decider's. */
export interface Snapshot extends Packed {
  readonly stream: string
  readonly version: number
  readonly revision: number
  /** Of the last event folded: a snapshot is written when the views have come this far, never before. */
  readonly mark: number
}

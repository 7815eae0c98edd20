import type { Either } from 'fp-ts/lib/Either.js'
import type { Event, Recorded } from './event.ts'
import type { Role } from './events/user.ts'
import type { Failure } from './failure.ts'
import { addRecord, type IdempotencyRecords } from './idempotency-records.ts'
import { epochMillisecondsOf } from './values/instant.ts'
import type { StorePosition } from './values/position.ts'

/** The events to record; `[]` means the effect already holds. */
export type Decision = Either<Failure, readonly Event[]>

/**
 * The rules of one kind of stream. `evolve` folds recorded events and never refuses. Both functions are
 * pure: time, random bits and the actor are arguments. A state is plain JSON, so that it can be saved.
 */
export interface Decider<S extends StreamState, C> {
  readonly initial: S
  /** Increment when the shape of the folded state changes. Snapshots with another version are ignored. */
  readonly version: number
  readonly evolve: (state: S, event: Recorded) => S
  /** On what `known` leaves of a state. `now` is in Unix milliseconds and never before the stream's last event. */
  readonly decide: (state: S, command: C, now: number) => Decision
  /** The state as far as the sender of a command may know it. Absent if senders may know all of it. */
  readonly known?: (state: S, command: C) => S
}

/** The part of a state that the command loop uses. `makeDecider` folds it. */
export interface StreamState {
  /** Unix milliseconds of the last event; 0 before the first. */
  readonly time: number
  /** Idempotency records of at least the last 24 hours. */
  readonly keys: IdempotencyRecords
}

/** How events fold into the state of one kind of stream. */
interface Fold<S> {
  readonly initial: S
  readonly version: number
  /** `time` is the event's, in Unix milliseconds. */
  readonly fold: (state: S, event: Recorded, time: number) => S
}

interface Rules<S, C extends { readonly type: string }> {
  readonly rules: {
    readonly [T in C['type']]: (state: S, command: Extract<C, { readonly type: T }>, now: number) => Decision
  }
}

/** The commands that rules take, each with its type. */
export type CommandsOf<R> = {
  [T in keyof R]: R[T] extends (state: never, command: infer C, now: number) => Decision
    ? C & { readonly type: T }
    : never
}[keyof R]

export const makeDecider = <S extends StreamState, C extends { readonly type: string }>({
  initial,
  version,
  fold,
  rules,
  ...known
}: Fold<S> & Rules<S, C> & Pick<Decider<S, C>, 'known'>): Decider<S, C> => ({
  initial,
  version,
  evolve: (state, event) => {
    const time = epochMillisecondsOf(event.metadata.time)
    const next = fold(state, event, time)
    return { ...next, time, keys: addRecord(next.keys, event, time, state.time) }
  },
  decide: (state, command, now) => {
    const rule = rules[command.type as C['type']] as (state: S, command: C, now: number) => Decision
    return rule(state, command, now)
  },
  ...known,
})

export interface Actor {
  readonly _id: string
  readonly role: Role | 'system'
}

export const COMMAND_LINE: Actor = { _id: 'command-line', role: 'system' }

/** A folded state as stored in the views file. `version` is the decider's. */
export interface Snapshot {
  readonly stream: string
  readonly version: number
  readonly revision: number
  /** Store position of the last event folded. A snapshot is written only after the views have reached it. */
  readonly storePosition: StorePosition
  readonly text: string
}

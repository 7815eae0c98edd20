import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { Decider, StreamState } from '../../src/domain/decider.ts'
import { type Event, eventDeclarations, type Metadata, type Recorded } from '../../src/domain/event.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { formatMilliseconds } from '../../src/domain/values/instant.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { clock, metadata } from './builders.ts'

/** A past event and its time. */
export interface Past {
  readonly time: number
  readonly event: Event
  readonly more: Partial<Metadata>
}

export const at = (time: string, event: Event, more: Partial<Metadata> = {}): Past => ({
  time: clock(time),
  event,
  more,
})

/** Freezes deeply, so that an impure decider throws. */
const frozen = <A>(value: A): A => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

export const recordedAt = (revision: number, { time, event, more }: Past): Recorded =>
  frozen({
    ...event,
    id: `018f36f0-0000-7000-8000-${revision.toString(16).padStart(12, '0')}`,
    stream: 'story',
    revision,
    storePosition: toStorePosition(revision),
    metadata: metadata(formatMilliseconds(time), more),
  })

export type Decision = E.Either<Failure, readonly Event[]>

/** Checks that the decided events can be decoded. */
const assertRecordable = (decision: Decision): Decision => {
  if (E.isLeft(decision)) return decision
  for (const { type, data } of decision.right) {
    const read = eventDeclarations[type].data.decode(JSON.parse(JSON.stringify(data)))
    if (E.isLeft(read)) throw new Error(`${type} could not be read back: ${JSON.stringify(data)}`)
  }
  return decision
}

/** `given(...past).when(command, time)` returns the decision. */
export const stories = <S extends StreamState, C>(decider: Decider<S, C>) => ({
  given: (...past: readonly Past[]) => {
    let state = frozen(decider.initial)
    for (const [revision, happened] of past.entries()) {
      state = frozen(decider.evolve(state, recordedAt(revision, happened)))
    }
    // A saved state is read as it was.
    assert.deepEqual(JSON.parse(JSON.stringify(state)), state)
    return {
      state,
      when: (command: C, now: string): Decision => {
        const known = decider.known?.(state, command) ?? state
        return assertRecordable(decider.decide(known, frozen(command), clock(now)))
      },
    }
  },
})

/** The decision to record these events; none if the command has no effect. */
export const records = (...events: readonly Event[]): Decision => E.right(events)

/** The failure of a refused command. Throws if it was accepted. */
export const refusal = (decision: Decision): Failure => {
  if (E.isRight(decision)) throw new Error(`not refused, but decided: ${JSON.stringify(decision.right)}`)
  return decision.left
}

/** The code of a refusal, or of each of its problems with its field: `window_too_long end_time`. */
export const whyRefused = (decision: Decision): readonly string[] => {
  const { code, problems } = refusal(decision)
  return [code, ...(problems ?? []).map((problem) => [problem.code, ...problem.path].join(' '))]
}

/** The only event of the decision. Throws if there is none or more than one. */
export const decided = (decision: Decision): Event => {
  if (E.isLeft(decision)) throw new Error(`refused: ${decision.left.code}, ${decision.left.detail}`)
  const [event, ...others] = decision.right
  if (event === undefined || others.length > 0) throw new Error(`${decision.right.length} events decided`)
  return event
}

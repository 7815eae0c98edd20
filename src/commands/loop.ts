/**
 * The command loop: load the state of a stream, look for the idempotency key, decide, append; begin again with the newest
 * state where another command was recorded first.
 */

import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeTurns } from '../concurrency/turns.ts'
import type { Decider, StreamState } from '../domain/decider.ts'
import { type Event, LARGE_APPEND, type NewEvent, type Recorded } from '../domain/event.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { subjectId } from '../domain/idempotency-records.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import type { Clock } from '../domain/values/units.ts'
import {
  type Appended,
  type AppendFailure,
  before,
  type EventStore,
  STORE_TIMEOUT_MS,
  StoreUnavailable,
} from '../event-store/event-store.ts'
import type { ClockGuard } from './clock-guard.ts'
import { type CommandEnvelope, makeNewEvents, type Outcome, type Runner } from './command-envelope.ts'
import { appendFailure, clockAhead, clockBehind, isClockBehind, keyReused } from './failures.ts'
import { findRecorded } from './idempotency-key.ts'
import { type Folded, type FollowedLog, makeStates, type Snapshots, type States } from './states.ts'
import { makePauses } from './turns.ts'

/**
 * How long a command is decided again after its first conflict: a few times what an instance keeps a stream busy before
 * it leaves a pause. Slow answers of the store before that do not count.
 */
const RETRY_TIMEOUT_MS = 5_000
/** Maximum backoff after a conflict. */
const BACKOFF_MAX_MS = 8
/** With less time left, an append is not begun any more: its outcome would be unknown for nothing. */
const APPEND_TIME_MIN_MS = 100

/** Called as the command loop works. */
interface RunnerHooks {
  readonly onAppend: (outcome: 'done' | AppendFailure) => void
  /** The command is decided again: the stream changed, or the state of a refusal may be stale. */
  readonly onRetry: (why: 'moved' | 'refused') => void
  /** The command was already recorded under its idempotency key. */
  readonly onRepeat: (requestId: string) => void
  /** The store could not be read: the command was refused. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
}

interface RunnerOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly randomHex: RandomHex
  /** Checks the clock at each decision. */
  readonly guard?: Pick<ClockGuard, 'isAhead'>
  /** For metrics. */
  readonly hooks?: RunnerHooks
  readonly snapshots: Snapshots
  /** Tells when the log may have been replaced by another. */
  readonly log?: FollowedLog
  /** Other instances write the log, too. */
  readonly isShared?: boolean
  /** Milliseconds of a command, with its wait for its turn: `STORE_TIMEOUT_MS` by default. */
  readonly commandTimeout?: number
  /** Milliseconds for which a command that was overtaken is decided again: 5,000 unless given. */
  readonly retryTimeout?: number
  /** States in memory. */
  readonly statesMax?: number
}

/** A command that has its turn on a stream. */
interface Task<S extends StreamState, C> {
  readonly decider: Decider<S, C>
  readonly stream: string
  readonly envelope: CommandEnvelope<C>
  /** Monotonic milliseconds. */
  readonly deadline: number
}

interface LoopParts extends RunnerOptions {
  readonly states: States
}

export const makeRunner = (options: RunnerOptions): Runner => {
  const { hooks, log, isShared = false, commandTimeout = STORE_TIMEOUT_MS } = options
  const states = makeStates(options)
  if (isShared) log?.watch(states.follow)
  const pauseAfter = isShared ? makePauses() : undefined
  const parts: LoopParts = { ...options, states }
  /** One command per stream at a time in this process. The expected revision covers other processes. */
  const turns = makeTurns()

  const run: Runner['run'] = async (decider, stream, envelope) => {
    const deadline = performance.now() + commandTimeout
    const own = turns.acquire(stream)
    if (own !== undefined) await own
    const began = performance.now()
    try {
      return await runInTurn(parts, { decider, stream, envelope, deadline })
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        states.forget(stream)
        throw error
      }
      hooks?.onUnavailable(error, envelope.requestId)
      return E.left(failure('unavailable', 'The event store cannot be read. Try again.'))
    } finally {
      turns.release(stream, pauseAfter?.(stream, began))
    }
  }

  const inspect: Runner['inspect'] = async (decider, stream, find) => {
    const deadline = performance.now() + commandTimeout
    await turns.acquire(stream)
    try {
      return find((await before(deadline, states.readOn(decider, stream))).state)
    } finally {
      turns.release(stream)
    }
  }

  return { run, inspect, saveStates: states.saveAll }
}

/**
 * Decides a command until its outcome is known. A cached state is used as it is: an append detects a stale one by its
 * expected revision. A refusal has no append, so it is decided again on the stream as read to its end.
 */
const runInTurn = async <S extends StreamState, C>(
  parts: LoopParts,
  task: Task<S, C>,
): Promise<E.Either<Failure, Outcome<S>>> => {
  const { store, states, hooks, retryTimeout = RETRY_TIMEOUT_MS } = parts
  const { decider, stream, envelope, deadline } = task
  const confirming = states.confirm()
  if (confirming !== undefined) await before(deadline, confirming)
  const cached = states.get(decider, stream)
  let folded = cached ?? (await before(deadline, states.readOn(decider, stream)))
  let isToTheEnd = cached === undefined
  let conflicts = 0
  let until = Number.POSITIVE_INFINITY
  for (;;) {
    const decided = decideOn(parts, task, folded)
    if (decided.is === 'over' || (decided.is === 'unrecorded' && isToTheEnd)) return decided.outcome
    if (decided.is === 'unrecorded') hooks?.onRetry('refused')
    else {
      const { events, within } = decided
      const appended = await store.append(stream, folded.revision, events, envelope.secrets, within)
      hooks?.onAppend(E.isLeft(appended) ? appended.left : 'done')
      if (E.isRight(appended)) {
        if (events.length >= LARGE_APPEND) await turn()
        return E.right(foldRecorded(states, task, folded, events, appended.right))
      }
      if (appended.left !== 'moved') return E.left(appendFailure(appended.left))
      hooks?.onRetry('moved')
      if (conflicts++ === 0) until = performance.now() + retryTimeout
      else if (performance.now() >= until)
        return E.left(failure('unavailable', 'Too many concurrent changes by other instances. Try again.'))
      // With jitter: another instance that appends back to back, without reading in between, would always be faster.
      else await delay(Math.random() * Math.min(2 ** conflicts, BACKOFF_MAX_MS))
    }
    folded = await before(deadline, states.readOn(decider, stream))
    isToTheEnd = true
  }
}

/** What a folded state says of a command. */
type Decided<S> =
  | { readonly is: 'over'; readonly outcome: E.Either<Failure, Outcome<S>> }
  /** Nothing is to be recorded, by a state that may be stale. */
  | { readonly is: 'unrecorded'; readonly outcome: E.Either<Failure, Outcome<S>> }
  /** What is to be appended, within so many milliseconds. */
  | { readonly is: 'decided'; readonly events: readonly NewEvent[]; readonly within: number }

const decideOn = <S extends StreamState, C>(
  { clock, randomHex, guard, hooks }: LoopParts,
  { decider, envelope, deadline }: Task<S, C>,
  { state, revision, storePosition }: Folded<S>,
): Decided<S> => {
  const { idempotencyKey: key } = envelope
  const record = key && findRecorded(state.keys, key)
  if (record === 'reused') return { is: 'over', outcome: E.left(keyReused()) }
  if (record) {
    hooks?.onRepeat(envelope.requestId)
    const repeated = { kind: 'repeated', state, id: record._id, revision: record.revision, storePosition } as const
    return { is: 'over', outcome: E.right(repeated) }
  }
  const now = clock()
  const decision = guard?.isAhead(now) ? E.left(clockAhead()) : decideNow(decider, state, envelope, now)
  if (E.isLeft(decision)) return { is: 'unrecorded', outcome: decision }
  if (decision.right.events.length === 0)
    return { is: 'unrecorded', outcome: E.right({ kind: 'already', state, revision, storePosition }) }
  const events = makeNewEvents(decision.right.events, envelope, decision.right.now, randomHex)
  const within = deadline - performance.now()
  if (within < APPEND_TIME_MIN_MS) return { is: 'over', outcome: E.left(appendFailure('unavailable')) }
  return { is: 'decided', events, within }
}

const decideNow = <S extends StreamState, C>(
  decider: Decider<S, C>,
  state: S,
  envelope: CommandEnvelope<C>,
  clock: number,
) => {
  // Also for its time: when something unknown to the sender was recorded must not show either.
  const known = decider.known?.(state, envelope.command) ?? state
  if (isClockBehind(clock, known.time)) return E.left(clockBehind())
  const now = Math.max(envelope.at ?? clock, known.time)
  return E.map((events: readonly Event[]) => ({ events, now }))(decider.decide(known, envelope.command, now))
}

/** Caches the new state and returns the outcome of a recorded command. */
const foldRecorded = <S extends StreamState, C>(
  states: States,
  { decider, stream }: Task<S, C>,
  folded: Folded<S>,
  newEvents: readonly NewEvent[],
  appended: Appended,
): Outcome<S> => {
  const events = newEvents.map((event, n): Recorded => {
    const revision = folded.revision + 1 + n
    // All get the last event's position: waiting for it waits for all of them.
    return { ...event, stream, revision, storePosition: appended.storePosition }
  })
  const last = events.at(-1) as Recorded
  const state = events.reduce(decider.evolve, folded.state)
  states.put(decider, stream, { ...folded, state, ...appended })
  return { kind: 'recorded', state, id: subjectId(last), events, ...appended }
}

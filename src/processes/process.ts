import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Outcome, Runner } from '../commands/command-envelope.ts'
import { SCHEDULE } from '../commands/log-events.ts'
import type { Actor, Decider, StreamState } from '../domain/decider.ts'
import type { ProcessClock } from './clock.ts'

/** What a process needs that records. */
export interface RecordingOptions {
  readonly clock: ProcessClock
  readonly runner: Pick<Runner, 'run'>
  readonly makeRequestId: () => string
}

/** Makes the function that runs a command. Undefined if nothing may be recorded now, or if the command was refused. */
export const makeRecordNow =
  ({ runner, clock, makeRequestId }: RecordingOptions) =>
  async <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    command: C,
    actor: Actor = SCHEDULE,
    requestId = makeRequestId(),
  ): Promise<Outcome<S> | undefined> => {
    // Checked before each record, and decided at that time: the clock may jump meanwhile.
    const at = clock.now()
    if (!clock.mayRecord()) return undefined
    const result = await runner.run(decider, stream, { command, actor, requestId, at })
    return E.isRight(result) ? result.right : undefined
  }

/**
 * Commands in a batch, and milliseconds between batches. Ten thousand reservations can begin in the same second:
 * recording them all at once would hold up every request for a second. With larger batches or shorter pauses, requests
 * take more than twice as long meanwhile.
 */
const BATCH_SIZE = 25
const BATCH_DELAY_MS = 10

/** In random order, several instances on one log share the work: each finds most records already made. */
const shuffled = <A>(items: readonly A[]): readonly A[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

/** How batches end early, and where errors go: one that fails holds up no other. */
export interface BatchOptions {
  /** No further batch begins once it aborts. */
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/** Calls `one` for each item, in batches. Resolves to whether none has failed, or resolved to false. */
export const runBatches = async <A>(
  items: readonly A[],
  one: (item: A) => Promise<unknown>,
  { signal, onError }: BatchOptions,
): Promise<boolean> => {
  let isDone = true
  const attempt = async (item: A): Promise<void> => {
    try {
      if ((await one(item)) === false) isDone = false
    } catch (error) {
      isDone = false
      onError(error)
    }
  }
  const inOrder = shuffled(items)
  for (let n = 0; n < inOrder.length; n += BATCH_SIZE) {
    if (n > 0) await delay(BATCH_DELAY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return false
    await Promise.all(inOrder.slice(n, n + BATCH_SIZE).map(attempt))
  }
  return isDone
}

/** Items that are looked at in one turn of the event loop: some of them parse documents, 40 us each. */
const LOOKED_AT_IN_A_TURN = 100

/**
 * Calls for each item, with a turn of the event loop after every hundred, so that thousands hold no request up. Ends when
 * the signal aborts.
 */
export const forEachYielding = async <A>(
  items: Iterable<A>,
  each: (item: A) => unknown,
  signal?: AbortSignal,
): Promise<void> => {
  let left = LOOKED_AT_IN_A_TURN
  for (const item of items) {
    if (left-- === 0) {
      await turn()
      if (signal?.aborted) return
      left = LOOKED_AT_IN_A_TURN - 1
    }
    each(item)
  }
}

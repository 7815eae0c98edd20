import * as E from 'fp-ts/lib/Either.js'
import { makeTurns, type Turns } from '../concurrency/turns.ts'
import type { Decider, StreamState } from '../domain/decider.ts'
import { failure } from '../domain/failure.ts'
import { before, STORE_TIMEOUT_MS, StoreUnavailable } from '../event-store/event-store.ts'
import { type AttemptOptions, makeAttempt } from './attempt.ts'
import type { Runner } from './command-envelope.ts'
import type { FollowedLog } from './states/log-continuity.ts'
import type { Folded, Snapshots } from './states/snapshots.ts'
import { makeStateCache, type StateCache } from './states/state-cache.ts'
import { makeSharedStreams } from './turns/shared-streams.ts'

interface RunnerOptions extends AttemptOptions {
  readonly snapshots: Snapshots
  /** Tells when the log may have been replaced by another. */
  readonly log?: FollowedLog
  /** Other instances write the log, too. */
  readonly isShared?: boolean
  /** Milliseconds of a command, with its wait for its turn: `STORE_TIMEOUT_MS` by default. */
  readonly commandTimeout?: number
  /** States in memory. */
  readonly statesMax?: number
}

/** The command loop: load, fold, decide, append; retry after conflicts. */
const makeRun = (options: RunnerOptions, cache: StateCache, turns: Turns): Runner['run'] => {
  const shared = options.isShared ? makeSharedStreams() : undefined
  const attempt = makeAttempt(options, cache, shared?.overtaken)
  const { commandTimeout = STORE_TIMEOUT_MS } = options
  return async (decider, stream, envelope) => {
    const deadline = performance.now() + commandTimeout
    const turn = turns.acquire(stream)
    if (turn !== undefined) await turn
    const began = performance.now()
    try {
      const confirming = cache.confirm()
      if (confirming !== undefined) await before(deadline, confirming)
      const cached = cache.get(decider, stream)
      const folded = cached ?? (await before(deadline, cache.load(decider, stream)))
      return await attempt(decider, stream, envelope, { folded, isToTheEnd: cached === undefined, deadline })
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        cache.forget(stream)
        throw error
      }
      options.hooks?.onUnavailable(error, envelope.requestId)
      return E.left(failure('unavailable', 'The event store cannot be read. Try again.'))
    } finally {
      turns.release(stream, shared?.pauseAfter(stream, began))
    }
  }
}

export const makeRunner = (options: RunnerOptions): Runner => {
  const cache = makeStateCache(options)
  if (options.isShared) options.log?.watch(cache.follow)
  /** One command per stream at a time in this process. The expected revision covers other processes. */
  const turns = makeTurns()

  const current = async <S extends StreamState, C>(decider: Decider<S, C>, stream: string): Promise<Folded<S>> => {
    await cache.confirm()
    const cached = cache.get(decider, stream)
    return cached ? cache.catchUp(decider, stream, cached) : cache.load(decider, stream)
  }
  const runExclusive = async <A>(stream: string, act: () => Promise<A>): Promise<A> => {
    const deadline = performance.now() + (options.commandTimeout ?? STORE_TIMEOUT_MS)
    await turns.acquire(stream)
    try {
      return await before(deadline, act())
    } finally {
      turns.release(stream)
    }
  }

  return {
    inspect: (decider, stream, find) => runExclusive(stream, async () => find((await current(decider, stream)).state)),
    run: makeRun(options, cache, turns),
    saveStates: cache.saveAll,
  }
}

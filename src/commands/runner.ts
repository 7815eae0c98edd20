import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../domain/failure.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type AttemptOptions, makeAttempt } from './attempt.ts'
import type { Runner } from './order.ts'
import { type FoldedStreams, makeFoldedStreams } from './states/folded-streams.ts'
import type { FollowedLog } from './states/known-log.ts'
import { PagesLost, type Snapshots } from './states/snapshots.ts'
import { makeTurns, type Turns } from './turns.ts'

interface RunnerOptions extends AttemptOptions {
  readonly snapshots: Snapshots
  /** Left out where nobody else writes the log. */
  readonly log?: FollowedLog
  /** Bytes of folded states in memory. */
  readonly rememberedMax?: number
}

/** The loop that every command goes through: load, fold, decide, append, and again where another was faster. */
const makeRun = (options: RunnerOptions, streams: FoldedStreams, turns: Turns): Runner['run'] => {
  const attempt = makeAttempt(options, streams)
  return (decider, stream, order) => async () => {
    const turn = turns.begin(stream)
    if (turn !== undefined) await turn
    try {
      const confirming = streams.confirm()
      if (confirming !== undefined) await confirming
      const remembered = streams.remembered(decider, stream)
      const folded = remembered ?? (await streams.load(decider, stream))
      try {
        return await attempt(decider, stream, order, { folded, isToTheEnd: remembered === undefined })
      } catch (error) {
        if (!(error instanceof PagesLost)) throw error
        const anew = await streams.loadAnew(decider, stream)
        return await attempt(decider, stream, order, { folded: anew, isToTheEnd: true })
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        streams.forget(stream)
        throw error
      }
      return E.left(failure('unavailable', 'The event store cannot be read. Try again.'))
    } finally {
      turns.end(stream)
    }
  }
}

export const makeRunner = (options: RunnerOptions): Runner => {
  const streams = makeFoldedStreams(options)
  const turns = makeTurns()
  return {
    stateOf: async (decider, stream) => {
      await turns.begin(stream)
      try {
        await streams.confirm()
        const remembered = streams.remembered(decider, stream)
        const folded = await (remembered ? streams.readOn(decider, stream, remembered) : streams.load(decider, stream))
        return folded.state
      } finally {
        turns.end(stream)
      }
    },
    run: makeRun(options, streams, turns),
    keepStates: streams.keepAll,
  }
}

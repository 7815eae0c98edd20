import type { Recorded } from '../../domain/event.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { USERS_STREAM } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { judgeAgain } from './again.ts'
import {
  judgeActor,
  judgeCredentials,
  judgeKey,
  judgeRevision,
  judgeStream,
  judgeTime,
  makeAssigned,
  makeJudgeId,
  millisecondsIn,
} from './envelope.ts'
import { judgeBetween, judgePeople, makeJudgeSeries } from './plain.ts'
import { makeSoFar } from './so-far.ts'
import { makeStreams, type Report, type Stream } from './streams.ts'

/**
 * Checks that the log obeys Berth's rules, using only the log: each event is decided again by the domain, and what spans
 * streams is checked by rules of its own.
 */
export interface Rules {
  /**
   * Checks the next event of the log and reports violations, then applies the event as it is. Returns the position of
   * the previous event in its stream; null if there is none, undefined if uncertain.
   */
  readonly judge: (event: Recorded, position: PublicPosition, report: Report) => number | null | undefined
  /** Skips an unreadable event. The rest of its stream is uncertain. */
  readonly skip: (stream: string, revision: number, position: PublicPosition) => void
  /** Every stream with the revision and position of its last event. */
  readonly streams: () => ReadonlyMap<string, Readonly<Pick<Stream, 'revision' | 'position' | 'isUncertain'>>>
}

export const makeRules = (): Rules => {
  const streams = makeStreams()
  const judgeId = makeJudgeId()
  const assigned = makeAssigned()
  const judgeSeries = makeJudgeSeries()
  const judgeSoFar = makeSoFar(streams)
  const isAbandoned = (sutId: string): boolean => streams.sutOf(sutId)?.status === 'abandoned'
  const mayBeRetired = (sutId: string): boolean => (streams.sutOf(sutId)?.status ?? 'retired') === 'retired'

  const judge: Rules['judge'] = (event, position, report) => {
    const stream = streams.get(event.stream)
    const previous = stream.position
    stream.position = position
    const written = event.metadata.time
    const time = millisecondsIn(written)
    judgeRevision(stream, event.revision, report)
    judgeId(event.id, time, report)
    judgeActor(event, report)
    assigned.judge(event, time, report)
    if (!judgeStream(event, report)) stream.isUncertain = true
    judgeTime(stream, time, written, report)
    if (stream.isUncertain) return undefined
    judgeCredentials(event, report)
    judgeKey(stream, event, time, isAbandoned, report)
    judgePeople(event, time, streams.stateOf(USERS_STREAM, userDecider), report)
    judgeBetween(event, time, { streams, assigned }, report)
    judgeSeries(event, report)
    const context = { now: time, mayBeRetired, ...judgeSoFar(stream, event, time, report) }
    stream.state = judgeAgain(stream.state, event, context, report)
    return previous
  }

  return {
    judge,
    skip: (name, revision, position) => {
      const stream = streams.get(name)
      stream.isUncertain = true
      stream.position = position
      stream.revision = revision
      assigned.skip()
    },
    streams: streams.all,
  }
}

import type { Recorded } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { judgeAgain } from './again.ts'
import { judgeActor, judgeKey, judgeRevision, judgeStream, judgeTime, makeJudgeId, millisecondsIn } from './envelope.ts'
import { findOffer, makeJudgePlain } from './plain.ts'
import { makeStreams, type Report, type Stream } from './streams.ts'

/**
 * Checks that the log obeys Berth's rules, using only the log: each event is decided again by the domain, and what spans
 * streams is checked by rules of its own.
 */
export const makeRules = () => {
  const streams = makeStreams()
  const judgeId = makeJudgeId()
  const judgePlain = makeJudgePlain(streams)
  const mayBeRetired = (sutId: string): boolean => (streams.sutOf(sutId)?.status ?? 'retired') === 'retired'
  /** As the last LogVersionSet has it. */
  let logVersion = 0

  /**
   * Checks the next event of the log and reports violations, then applies the event as it is. Returns the position of
   * the previous event in its stream; null if there is none, undefined if uncertain.
   */
  const judge = (event: Recorded, position: PublicPosition, report: Report): number | null | undefined => {
    const stream = streams.get(event.stream)
    const previous = stream.position
    stream.position = position
    const written = event.metadata.time
    const time = millisecondsIn(written)
    judgeRevision(stream, event.revision, report)
    judgeId(event.id, time, report)
    judgeActor(event, report)
    if (!judgeStream(event, report)) stream.isUncertain = true
    judgeTime(stream, time, written, report)
    if (stream.isUncertain) return undefined
    judgeKey(stream, event, time, report)
    judgePlain(event, time, report)
    if (event.type === 'LogVersionSet') logVersion = event.data.version
    const offerOf = (requestId: string | undefined) => findOffer(streams, requestId)
    stream.state = judgeAgain(stream.state, event, { now: time, mayBeRetired, offerOf, logVersion }, report)
    return previous
  }

  return {
    judge,
    /** Skips an unreadable event. The rest of its stream is uncertain. */
    skip: (name: string, revision: number, position: PublicPosition): void => {
      const stream = streams.get(name)
      stream.isUncertain = true
      stream.position = position
      stream.revision = revision
    },
    /** Every stream with the revision and position of its last event. */
    streams: streams.all as () => ReadonlyMap<string, Readonly<Pick<Stream, 'revision' | 'position' | 'isUncertain'>>>,
  }
}

export type Rules = ReturnType<typeof makeRules>

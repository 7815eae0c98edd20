import * as E from 'fp-ts/lib/Either.js'
import type { Held } from '../../domain/calendar/held.ts'
import type { Actor } from '../../domain/decider.ts'
import { type DataOf, type NewEvent, RESTORED_MAX, SCHEMA } from '../../domain/event.ts'
import { formatWindow } from '../../domain/sut/state.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex, sutStream } from '../../domain/values/ids.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import type { AppendFailure, EventStore } from '../../event-store/event-store.ts'
import { findSpan, foldTwice, type Span, type SpanEvents, type SpanOptions, timeOf } from './span.ts'

/** Who records what is typed at the command line. */
export const COMMAND_LINE: Actor = { _id: 'command-line', role: 'system' }

/** How often a stream that others move is read again before it is given up. */
const ATTEMPTS_MAX = 16

export interface ClockCorrection extends Span {
  /** In the operator's words: 1 to 200 characters. */
  readonly why: string
}

export interface CorrectClockOptions extends SpanOptions {
  readonly store: Pick<EventStore, 'records' | 'readStream' | 'append'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** Called with the streams done so far, and how many there are. */
  readonly onProgress?: (done: number, of: number) => void
}

/** What a correction came to. */
export interface ClockCorrected {
  /** Streams with an event in the span. */
  readonly streams: number
  /** Of those, streams that had been corrected before. */
  readonly before: number
  /** Windows that stand again. */
  readonly windows: number
}

/** What is the same for every stream of a correction. */
interface Common {
  readonly positions: Span
  readonly time: string
  readonly why: string
  readonly requestId: string
}

const OUTCOMES: Readonly<Record<AppendFailure, string>> = {
  moved: 'others write this stream all the time',
  full: 'the event store has no room left',
  unavailable: 'the event store cannot be reached',
  unknown: 'the answer of the event store was lost',
}

const newEvent = (
  { positions, time, why, requestId }: Common,
  more: Pick<DataOf<'ClockCorrected'>, 'revisions' | 'windows' | 'remaining'>,
  stream: string,
  now: number,
  randomHex: RandomHex,
): NewEvent => ({
  type: 'ClockCorrected',
  data: {
    positions,
    ...(stream !== LISTEN_PORTS_STREAM && { sut_id: stream.slice(sutStream('').length) }),
    time,
    ...more,
  },
  id: makeEventId(now, randomHex(10)),
  metadata: {
    actor: COMMAND_LINE._id,
    reason: why,
    request_id: requestId,
    role: COMMAND_LINE.role,
    schema: SCHEMA,
    time: formatMilliseconds(now),
  },
})

/** Milliseconds by which times of the stream outside the span may be ahead of the clock: as for any command. */
const AHEAD_MAX = 60_000

/** Corrects one stream. Resolves to how many windows stand again; undefined where it was corrected before. */
const correctStream = async (
  { store, clock, randomHex }: CorrectClockOptions,
  common: Common,
  stream: string,
  revisions: Span,
): Promise<E.Either<string, number | undefined>> => {
  for (let attempt = 1; ; attempt++) {
    const { revision, dropped, time, isCorrected } = await foldTwice(store, stream, revisions)
    if (isCorrected) return E.right(undefined)
    const now = Math.max(clock(), time)
    const standing = dropped.filter(({ end }) => end * 1000 > now)
    const parts = Math.max(1, Math.ceil(standing.length / RESTORED_MAX))
    let failed: AppendFailure | undefined
    for (let part = 0; part < parts && failed === undefined; part++) {
      const windows = standing.slice(part * RESTORED_MAX, (part + 1) * RESTORED_MAX).map(windowOf)
      const remaining = Math.max(0, standing.length - (part + 1) * RESTORED_MAX)
      const event = newEvent(common, { revisions, windows, remaining }, stream, now, randomHex)
      const appended = await store.append(stream, revision + part, [event])()
      if (E.isLeft(appended)) failed = appended.left
    }
    if (failed === undefined) return E.right(standing.length)
    if (failed !== 'moved' || attempt === ATTEMPTS_MAX) return E.left(`${stream}: ${OUTCOMES[failed]}; run it again`)
  }
}

const windowOf = (held: Held): DataOf<'ClockCorrected'>['windows'][number] => {
  const { _id, user_id } = held
  return { _id, user_id, ...formatWindow(held) }
}

/** Why nothing may be corrected; every stream is looked at before the first is changed. */
const findObstacle = async (
  { store, clock }: CorrectClockOptions,
  { revisions, latest }: SpanEvents,
): Promise<string | undefined> => {
  if (latest <= clock()) return 'no time in this span is ahead of the clock, so that nothing is disabled by it'
  for (const [stream, span] of revisions) {
    const { time } = await foldTwice(store, stream, span)
    if (time <= clock() + AHEAD_MAX) continue
    return `${stream} has a time outside this span that is ahead of the clock too, ${formatMilliseconds(time)}: widen the span`
  }
  return undefined
}

/**
 * Records that the times of a span are wrong: each stream with an event in it gets ClockCorrected, so that its own order
 * guards what was restored, and a command decided on the state before is refused by the store. What was broken off is
 * finished by the next call: streams that were corrected are left as they are.
 */
export const correctClock = async (
  options: CorrectClockOptions,
  { from, to, why }: ClockCorrection,
): Promise<E.Either<string, ClockCorrected>> => {
  const { store, clock, randomHex, onProgress } = options
  const found = await findSpan(options, { from, to })
  if (E.isLeft(found)) return found
  const refused = await findObstacle(options, found.right)
  if (refused !== undefined) return E.left(refused)
  const { before, revisions } = found.right
  const time = before === undefined ? formatMilliseconds(clock()) : await timeOf(store, before)
  const common = { positions: { from, to }, time, why, requestId: makeEventId(clock(), randomHex(10)) }
  let [done, corrected, windows] = [0, 0, 0]
  for (const [stream, span] of revisions) {
    const restored = await correctStream(options, common, stream, span)
    if (E.isLeft(restored)) return restored
    if (restored.right !== undefined) corrected++
    windows += restored.right ?? 0
    onProgress?.(++done, revisions.size)
  }
  return E.right({ streams: revisions.size, before: revisions.size - corrected, windows })
}

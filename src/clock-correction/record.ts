import * as E from 'fp-ts/lib/Either.js'
import type { Held } from '../domain/calendar/held.ts'
import { COMMAND_LINE } from '../domain/decider.ts'
import { type DataOf, type NewEvent, schemaVersion } from '../domain/event.ts'
import { RESTORED_MAX } from '../domain/events/log.ts'
import { formatWindow, UNRECORDED_MAX } from '../domain/sut/state.ts'
import { inCanonicalOrder } from '../domain/values/canonical-json.ts'
import { makeEventId, type RandomHex, sutStream } from '../domain/values/ids.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import type { AppendFailure, EventStore } from '../event-store/event-store.ts'
import { findSpan, foldTwice, type Span, type SpanEvents, type SpanOptions, timeOf } from './span.ts'

/** Attempts per stream under concurrent changes. */
const ATTEMPTS_MAX = 16

export interface CorrectionRequest extends Span {
  /** The operator's reason: 1 to 200 characters. */
  readonly why: string
}

interface CorrectClockOptions extends SpanOptions {
  readonly store: Pick<EventStore, 'records' | 'readStream' | 'append'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** Called with the number of streams done and their total. */
  readonly onProgress?: (done: number, of: number) => void
}

export interface CorrectionResult {
  /** Streams with events in the span. */
  readonly streams: number
  /** Those already corrected before. */
  readonly before: number
  readonly windows: number
}

/** Shared by all streams of a correction. */
interface Common {
  readonly positions: Span
  readonly time: string
  readonly why: string
  readonly requestId: string
}

const OUTCOMES: Readonly<Record<AppendFailure, string>> = {
  moved: 'other processes keep writing to this stream',
  full: 'the event store is full',
  unavailable: 'the event store cannot be reached',
  unknown: 'the response of the event store was lost',
}

const newEvent = (
  { positions, time, why, requestId }: Common,
  more: Pick<DataOf<'ClockCorrected'>, 'revisions' | 'windows' | 'remaining'>,
  stream: string,
  now: number,
  randomHex: RandomHex,
): NewEvent => ({
  type: 'ClockCorrected',
  data: inCanonicalOrder({
    positions,
    ...(stream.startsWith(sutStream('')) && { sut_id: stream.slice(sutStream('').length) }),
    time,
    ...more,
  }),
  id: makeEventId(now, randomHex(10)),
  metadata: {
    actor: COMMAND_LINE._id,
    reason: why,
    request_id: requestId,
    role: COMMAND_LINE.role,
    schema: schemaVersion('ClockCorrected'),
    time: formatMilliseconds(now),
  },
})

/** How far other times of the stream may be ahead of the clock, as for any command. */
const AHEAD_MAX_MS = 60_000

/** Corrects one stream. Resolves to the number of restored windows; undefined if it was corrected before. */
const correctStream = async (
  { store, clock, randomHex }: CorrectClockOptions,
  common: Common,
  stream: string,
  revisions: Span,
): Promise<E.Either<string, number | undefined>> => {
  for (let attempt = 1; ; attempt++) {
    const { revision, lost, time, isCorrected } = await foldTwice(store, stream, revisions)
    if (isCorrected) return E.right(undefined)
    const now = Math.max(clock(), time)
    const restorable = lost.filter(({ end }) => end > now / 1000 - UNRECORDED_MAX)
    const parts = Math.max(1, Math.ceil(restorable.length / RESTORED_MAX))
    let failed: AppendFailure | undefined
    for (let part = 0; part < parts && failed === undefined; part++) {
      const windows = restorable.slice(part * RESTORED_MAX, (part + 1) * RESTORED_MAX).map(windowOf)
      const remaining = Math.max(0, restorable.length - (part + 1) * RESTORED_MAX)
      const event = newEvent(common, { revisions, windows, remaining }, stream, now, randomHex)
      const appended = await store.append(stream, revision + part, [event])
      if (E.isLeft(appended)) failed = appended.left
    }
    if (failed === undefined) return E.right(restorable.length)
    if (failed !== 'moved' || attempt === ATTEMPTS_MAX) return E.left(`${stream}: ${OUTCOMES[failed]}; run it again`)
  }
}

const windowOf = (held: Held): DataOf<'ClockCorrected'>['windows'][number] => {
  const { _id, user_id, started, keepalive } = held
  return { _id, user_id, ...formatWindow(held), ...(started && { started }), ...(keepalive > 0 && { keepalive }) }
}

/** Checks every stream before the first is changed. Returns the reason to refuse the correction, if any. */
const findObstacle = async (
  { store, clock }: CorrectClockOptions,
  { revisions, latest }: SpanEvents,
): Promise<string | undefined> => {
  if (latest <= clock()) return 'no time in this span is ahead of the clock, so no stream is blocked'
  for (const [stream, span] of revisions) {
    const { time } = await foldTwice(store, stream, span)
    if (time <= clock() + AHEAD_MAX_MS) continue
    return `${stream} also has a time ahead of the clock outside this span, ${formatMilliseconds(time)}: widen the span`
  }
  return undefined
}

/**
 * Records that the times of a span are wrong. Each stream with events in the span gets ClockCorrected, so that its own
 * order protects the restored windows: the store refuses a command decided on the state before. An interrupted
 * correction is completed by the next call, which skips corrected streams.
 */
export const correctClock = async (
  options: CorrectClockOptions,
  { from, to, why }: CorrectionRequest,
): Promise<E.Either<string, CorrectionResult>> => {
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

import * as E from 'fp-ts/lib/Either.js'
import { findEndingAfter } from '../domain/calendar/calendar.ts'
import type { Held } from '../domain/calendar/held.ts'
import type { Recorded } from '../domain/event.ts'
import { evolveSut, initialSutState } from '../domain/sut/state.ts'
import { SCHEDULE_STREAM } from '../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../domain/values/instant.ts'
import { type PublicPosition, type StorePosition, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, NO_STREAM } from '../event-store/event-store.ts'

/** A span of public positions with wrong times, both ends included. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface SpanOptions {
  readonly store: Pick<EventStore, 'records' | 'readStream'>
  /** Store position of the event before a public position; undefined if the log does not reach it. */
  readonly storePositionBefore: (position: PublicPosition) => Promise<StorePosition | undefined>
}

export interface SpanEvents {
  /** By stream. */
  readonly revisions: ReadonlyMap<string, Span>
  /** Unix milliseconds of the latest event. */
  readonly latest: number
  /** The event before the span, if there is one. */
  readonly before: Stored | undefined
}

type Stored = Pick<Recorded, 'stream' | 'revision' | 'metadata'>

export const findSpan = async (
  { store, storePositionBefore }: SpanOptions,
  { from, to }: Span,
): Promise<E.Either<string, SpanEvents>> => {
  const revisions = new Map<string, Span>()
  const first = toPublicPosition(Math.max(from - 1, 0))
  let position: number = first
  let [latest, before]: [number, Stored | undefined] = [0, undefined]
  const storePosition = await storePositionBefore(first)
  for await (const page of storePosition === undefined ? [] : store.records(storePosition)) {
    for (const { text } of page) {
      if (position > to) return E.right({ revisions, latest, before })
      const event = JSON.parse(text) as Stored
      if (position++ < from) before = event
      // Nothing is decided on the time of ScheduleBegan.
      else if (event.stream !== SCHEDULE_STREAM) {
        const { stream, revision, metadata } = event
        revisions.set(stream, { from: revisions.get(stream)?.from ?? revision, to: revision })
        latest = Math.max(latest, epochMillisecondsOf(metadata.time))
      }
    }
  }
  if (position > to) return E.right({ revisions, latest, before })
  return E.left(
    storePosition === undefined ? 'the log does not reach this span' : `the log ends at position ${position - 1}`,
  )
}

const covers = (event: Recorded, { from, to }: Span): boolean =>
  event.type === 'ClockCorrected' &&
  event.data.remaining === 0 &&
  event.data.revisions.from <= from &&
  event.data.revisions.to >= to

/** The effective time of an event: its own, or the one from an earlier correction. */
export const timeOf = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, metadata }: Stored,
): Promise<string> => {
  let { time } = metadata
  for await (const page of store.readStream(stream, revision)) {
    for (const event of page) {
      if (event.type === 'ClockCorrected' && covers(event, { from: revision, to: revision })) time = event.data.time
    }
  }
  return time
}

/** A stream folded twice: with all times, and ignoring those of some revisions. */
export interface Folds {
  readonly revision: number
  /** Windows that the span dropped, or whose start it recorded, as they stand without it. */
  readonly lost: readonly Held[]
  /** Unix milliseconds: the latest correct time. */
  readonly time: number
  readonly isCorrected: boolean
}

export const foldTwice = async (store: Pick<EventStore, 'readStream'>, stream: string, span: Span): Promise<Folds> => {
  let [wrong, right] = [initialSutState, initialSutState]
  let [revision, isCorrected] = [NO_STREAM, false]
  for await (const page of store.readStream(stream, NO_STREAM)) {
    for (const event of page) {
      const isWrong = event.revision >= span.from && event.revision <= span.to
      const metadata = { ...event.metadata, time: formatMilliseconds(right.time) }
      wrong = evolveSut(wrong, event)
      // What was due within the span may not have been: it is recorded again when it is.
      const isOfSchedule = event.type === 'ReservationStarted' || event.type === 'ReservationEnded'
      if (!isWrong) right = evolveSut(right, event)
      else if (!isOfSchedule) right = evolveSut(right, { ...event, metadata })
      revision = event.revision
      isCorrected ||= covers(event, span)
    }
  }
  const kept = new Map(findEndingAfter(wrong.windows, 0).map(({ _id, started }) => [_id, started]))
  const lost = findEndingAfter(right.windows, 0).filter(({ _id, started }) => kept.get(_id) !== started)
  return { revision, lost, time: right.time, isCorrected }
}

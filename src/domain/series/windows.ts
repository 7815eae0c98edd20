import { Temporal } from 'temporal-polyfill'
import { alignToGrid, type Window } from '../calendar/window.ts'
import { ceilSecond, floorSecond, type Instant, type OffsetTime } from '../values/instant.ts'
import { findOccurrences, type Occurrences } from './occurrences.ts'
import type { RecurrenceRule } from './rule.ts'

/** The first window of a series as it was asked for, and the zone whose wall clock it keeps. */
export interface FirstWindow {
  readonly start: OffsetTime
  readonly end: OffsetTime
  readonly timeZone: string
}

/** The name of a zone of the IANA time zone database, in its case, if Temporal knows it. Temporal also takes offsets. */
export const findTimeZone = (name: string): string | undefined => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return undefined
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return timeZoneId.toLowerCase() === name.toLowerCase() ? timeZoneId : undefined
  } catch {
    return undefined
  }
}

const NANOSECONDS = 1_000_000_000n

const toTemporal = ({ seconds, nanoseconds }: Instant): Temporal.Instant =>
  Temporal.Instant.fromEpochNanoseconds(BigInt(seconds) * NANOSECONDS + BigInt(nanoseconds))

const fromTemporal = ({ epochMilliseconds, epochNanoseconds }: Temporal.Instant): Instant => {
  const seconds = Math.floor(epochMilliseconds / 1_000)
  return { seconds, nanoseconds: Number(epochNanoseconds - BigInt(seconds) * NANOSECONDS) }
}

const offsetIn = ({ offsetNanoseconds }: Temporal.ZonedDateTime): number =>
  Math.round(offsetNanoseconds / 60_000_000_000)

/** A rule with its first window, and where its windows are looked for. Can be sent to another thread. */
export interface SeriesQuery {
  readonly rule: RecurrenceRule
  /** The ends of the first window. */
  readonly start: Instant
  readonly end: Instant
  readonly timeZone: string
  /** Unix milliseconds. Later windows are not listed. */
  readonly horizon: number
}

export const makeSeriesQuery = (
  rule: RecurrenceRule,
  { start, end, timeZone }: FirstWindow,
  horizon: number,
): SeriesQuery => ({ rule, start: start.instant, end: end.instant, timeZone, horizon })

/** A time of a window as it is asked for: whole Unix seconds, and minutes east of UTC in the zone. */
export interface AskedTime {
  readonly seconds: number
  readonly offset: number
}

/** A window of a series. Can be sent to another thread. */
export interface SeriesWindow {
  readonly start: AskedTime
  readonly end: AskedTime
  /** On the grid. */
  readonly gridded: Window
  /** Milliseconds as asked for, a part of one as a whole. */
  readonly length: number
}

/** What a rule gives from its first window on. */
export interface SeriesWindows extends Pick<Occurrences, 'more'>, Pick<SeriesQuery, 'horizon'> {
  /** By start: at most OCCURRENCES_MAX. */
  readonly windows: readonly SeriesWindow[]
}

/** Makes the window that keeps the wall clock of the first one, from the start of an occurrence in Unix milliseconds. */
const makeWindowAt = (from: Instant, to: Instant, timeZone: string): ((start: number) => SeriesWindow) => {
  const zonedAt = (at: Instant) => toTemporal(at).toZonedDateTimeISO(timeZone)
  const length = zonedAt(from).toPlainDateTime().until(zonedAt(to).toPlainDateTime())
  return (occurrence) => {
    // A rule has whole seconds.
    const at = { seconds: occurrence / 1_000, nanoseconds: from.nanoseconds }
    const start = zonedAt(at)
    // An end that the clock skips is moved on by what it skips. Of two moments, the first is the end.
    const end = start.toPlainDateTime().add(length).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    const ends = fromTemporal(end.toInstant())
    return {
      start: { seconds: floorSecond(at), offset: offsetIn(start) },
      end: { seconds: ceilSecond(ends), offset: offsetIn(end) },
      gridded: alignToGrid(at, ends),
      length: Math.ceil((ends.seconds - at.seconds) * 1_000 + (ends.nanoseconds - at.nanoseconds) / 1_000_000),
    }
  }
}

/** Takes up to a second, for rules that seldom occur. */
export const findSeriesWindows = ({ rule, start, end, timeZone, horizon }: SeriesQuery): SeriesWindows => {
  const { starts, more } = findOccurrences({ rule, timeZone, start: floorSecond(start) * 1_000, horizon })
  return { windows: starts.map(makeWindowAt(start, end, timeZone)), more, horizon }
}

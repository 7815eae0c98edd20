import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { ceilQuarter, floorQuarter, type Window } from '../calendar/window.ts'
import { ceilSecond, floorSecond, type OffsetTime } from '../values/instant.ts'
import type { UnixSeconds } from '../values/units.ts'
import { OCCURRENCES_MAX, type RecurrenceRule } from './rule.ts'

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

/** A rule with its first window, and where its windows are looked for. Can be sent to another thread. */
export interface SeriesQuery {
  readonly rule: RecurrenceRule
  readonly first: FirstWindow
  /** Unix milliseconds. Later windows are not listed. */
  readonly horizon: number
}

/** The whole second in which the first window begins: a rule has no finer times. */
const startOf = ({ start }: FirstWindow): UnixSeconds => floorSecond(start.instant)

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
}

/** What a rule gives from its first window on. */
export interface SeriesWindows extends Pick<SeriesQuery, 'horizon'> {
  /** By start: at most OCCURRENCES_MAX, none after the horizon. */
  readonly windows: readonly SeriesWindow[]
  /** Whether the rule has more: up to the horizon, or only after it. Unknown after too many candidates. */
  readonly more: 'none' | 'within' | 'beyond' | 'unknown'
}

/** Periods and date-times that are looked at for one rule. */
const CANDIDATES_MAX = 10_000
const TOO_MANY = /^Maximum (?:iterations|candidate evaluations) /

const zonedAt = (seconds: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timeZone)

/** A date-time without its punctuation: `20300502T061500`. */
const basic = (text: string): string => text.slice(0, 19).replace(/[-:]/g, '')

/** The rule from its start to a moment. The library gets text, and gives moments of which only the milliseconds are used. */
const openRule = ({ rule, first }: SeriesQuery, until: number): RRuleTemporal => {
  const { timeZone } = first
  const begins = basic(zonedAt(startOf(first), timeZone).toPlainDateTime().toString({ smallestUnit: 'second' }))
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${timeZone}:${begins}\nRRULE:${rule.parts};UNTIL=${basic(new Date(until).toISOString())}Z`,
    strict: true,
    maxIterations: CANDIDATES_MAX,
    maxCandidateEvaluations: CANDIDATES_MAX,
  })
}

/** Whether a rule goes on after the horizon. One without an end does. */
const goesOn = (query: SeriesQuery): boolean => {
  const { rule, horizon } = query
  if (rule.until === undefined) return true
  return rule.until > horizon && openRule(query, rule.until).next(new Date(horizon)) !== null
}

const listStarts = (query: SeriesQuery, starts: number[]): SeriesWindows['more'] => {
  const { rule, first, horizon } = query
  const start = startOf(first)
  // Windows before now or after the horizon are refused. Their years could not be written.
  if (start < 0 || start * 1000 > horizon) return 'none'
  const wanted = rule.count ?? OCCURRENCES_MAX
  let isCut = false
  try {
    openRule(query, Math.min(rule.until ?? horizon, horizon)).all(({ epochMilliseconds }) => {
      isCut = starts.length === wanted
      if (!isCut) starts.push(epochMilliseconds / 1000)
      return !isCut
    })
    if (starts.length === rule.count) return 'none'
    return isCut ? 'within' : goesOn(query) ? 'beyond' : 'none'
  } catch (error) {
    if (!(error instanceof Error && TOO_MANY.test(error.message))) throw error
    return 'unknown'
  }
}

const askedTime = ({ epochMilliseconds, offsetNanoseconds }: Temporal.ZonedDateTime): AskedTime => ({
  seconds: epochMilliseconds / 1000,
  offset: Math.round(offsetNanoseconds / 60_000_000_000),
})

/** Makes the window that keeps the wall clock of the first one, from the Unix second at which the rule occurs. */
const makeWindowAt = ({ first }: SeriesQuery): ((second: number) => SeriesWindow) => {
  const { end, timeZone } = first
  const clockAt = (second: UnixSeconds) => zonedAt(second, timeZone).toPlainDateTime()
  const length = clockAt(startOf(first)).until(clockAt(ceilSecond(end.instant)))
  return (second) => {
    const begins = zonedAt(second, timeZone)
    // An end that the clock skips is moved on by what it skips. Of two moments, the first is the end.
    const ends = begins.toPlainDateTime().add(length).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    const [from, to] = [askedTime(begins), askedTime(ends)]
    return { start: from, end: to, gridded: { start: floorQuarter(from.seconds), end: ceilQuarter(to.seconds) } }
  }
}

/**
 * The windows of a rule on the wall clock of a time zone. Those that the clock skips are left out and not counted; of two
 * moments with one wall clock time, the first is meant. Takes up to a second, for rules that seldom occur.
 */
export const findSeriesWindows = (query: SeriesQuery): SeriesWindows => {
  const starts: number[] = []
  const more = listStarts(query, starts)
  return { windows: starts.map(makeWindowAt(query)), more, horizon: query.horizon }
}

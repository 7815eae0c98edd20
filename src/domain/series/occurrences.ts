import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { OCCURRENCES_MAX, type RecurrenceRule } from './rule.ts'

/** Periods and date-times that are looked at for one rule. */
const CANDIDATES_MAX = 10_000

/** A rule and where its occurrences are looked for. Can be sent to another thread. */
export interface OccurrenceQuery {
  readonly rule: RecurrenceRule
  /** A name of the IANA time zone database. */
  readonly timeZone: string
  /** Where the rule begins: Unix milliseconds, whole seconds. */
  readonly start: number
  /** Unix milliseconds. Later occurrences are not listed. */
  readonly horizon: number
}

export interface Occurrences {
  /** Unix milliseconds, ascending: at most OCCURRENCES_MAX, none after the horizon. */
  readonly starts: readonly number[]
  /** Whether the rule has more: up to the horizon, or only after it. Unknown after too many candidates. */
  readonly more: 'none' | 'within' | 'beyond' | 'unknown'
}

const TOO_MANY = /^Maximum (?:iterations|candidate evaluations) /

/** `20300502T061500Z` */
const toUtcText = (moment: number): string => `${new Date(moment).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

/** The rule from `start` to a moment. The library gets text, and gives moments of which only the milliseconds are used. */
const openRule = ({ rule, timeZone, start }: OccurrenceQuery, until: number): RRuleTemporal => {
  const local = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone).toPlainDateTime()
  const begins = local.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '')
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${timeZone}:${begins}\nRRULE:${rule.parts};UNTIL=${toUtcText(until)}`,
    strict: true,
    maxIterations: CANDIDATES_MAX,
    maxCandidateEvaluations: CANDIDATES_MAX,
  })
}

/** Whether a rule goes on after the horizon. One without an end does. */
const goesOn = (query: OccurrenceQuery): boolean => {
  const { rule, horizon } = query
  if (rule.until === undefined) return true
  return rule.until > horizon && openRule(query, rule.until).next(new Date(horizon)) !== null
}

const find = (query: OccurrenceQuery, starts: number[]): Occurrences['more'] => {
  const { rule, horizon } = query
  const wanted = rule.count ?? OCCURRENCES_MAX
  let isCut = false
  openRule(query, Math.min(rule.until ?? horizon, horizon)).all(({ epochMilliseconds }) => {
    isCut = starts.length === wanted
    if (!isCut) starts.push(epochMilliseconds)
    return !isCut
  })
  if (starts.length === rule.count) return 'none'
  if (isCut) return 'within'
  return goesOn(query) ? 'beyond' : 'none'
}

/**
 * The occurrences of a rule on the wall clock of a time zone. Those that the clock skips are left out and not counted;
 * of two moments with one wall clock time, the first is meant.
 */
export const findOccurrences = (query: OccurrenceQuery): Occurrences => {
  const starts: number[] = []
  // Windows before now or after the horizon are refused. Their years could not be written.
  if (query.start < 0 || query.start > query.horizon) return { starts, more: 'none' }
  try {
    return { starts, more: find(query, starts) }
  } catch (error) {
    if (!(error instanceof Error && TOO_MANY.test(error.message))) throw error
    return { starts, more: 'unknown' }
  }
}

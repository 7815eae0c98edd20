import * as E from 'fp-ts/lib/Either.js'
import type { Decision, StreamState } from '../../domain/decider.ts'
import type { DataOf, Event, Recorded } from '../../domain/event.ts'
import type { Failure } from '../../domain/failure.ts'
import { quartersIn } from '../../domain/reservation/quota.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { epochSecondsOf, offsetOf } from '../../domain/values/instant.ts'
import { DECIDED_AGAIN, foldOf, type LogContext, NoSuchTime } from './commands.ts'
import type { Report } from './streams.ts'

/** What the command does not say: the random id, what a window counts that was asked for by its length, the series. */
const withRest = (decided: Event, recorded: Event): Event => {
  if (decided.type !== 'ReservationCreated' || recorded.type !== 'ReservationCreated') return decided
  const { counted: _, ...data } = decided.data
  const { _id, counted, series_id } = recorded.data
  return {
    type: 'ReservationCreated',
    data: { ...data, _id, ...(counted !== undefined && { counted }), ...(series_id !== undefined && { series_id }) },
  }
}

const describeRefusal = ({ code, detail, help }: Failure): string => {
  const [conflict] = help?.conflicts ?? []
  return `${code}: ${detail}${conflict === undefined ? '' : ` It is ${conflict._id}.`}`
}

/** The members in which an event is not what was decided. */
const differences = (decided: Event, recorded: Event): readonly string[] => {
  const written = ({ data }: Event, name: string): string =>
    name in data ? canonicalJson((data as Readonly<Record<string, unknown>>)[name]) : ''
  const names = new Set([...Object.keys(decided.data), ...Object.keys(recorded.data)])
  return [...names].filter((name) => written(decided, name) !== written(recorded, name))
}

/** Version of the log from which on what is kept alive follows the rules of today. */
const RULES_OF_LIFE = 5

/** Logs of before then recorded other signs of life, and counted them otherwise. A log without a version is none. */
const isOfOldLife = ({ type, data }: Event, logVersion: number): boolean =>
  logVersion > 0 &&
  logVersion < RULES_OF_LIFE &&
  (type === 'ReservationKept' || ('cause' in data && data.cause === 'keepalive'))

const reportDecision = (decision: Decision, event: Recorded, logVersion: number, report: Report): void => {
  const { type } = event
  if (E.isLeft(decision)) {
    report(`is a ${type} that is refused, ${describeRefusal(decision.left)}`)
    return
  }
  const [first] = decision.right
  if (first === undefined) {
    if (!isOfOldLife(event, logVersion)) report(`is a ${type} without an effect`)
    return
  }
  const decided = withRest(first, event)
  if (decided.type !== type) report(`is a ${type}, but what comes then is a ${decided.type}`)
  else if (canonicalJson(decided.data) !== canonicalJson(event.data))
    report(`is a ${type} with another ${differences(decided, event).join(', ')} than follows from what came before`)
}

/**
 * A window asked for by its length counts that length, which may be one quarter less than its window has. Such windows
 * are written in UTC.
 */
const judgeCounted = ({ counted, start_time, end_time }: DataOf<'ReservationCreated'>, report: Report): void => {
  if (counted === undefined) return
  const quarters = quartersIn({ start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) })
  const isInUtc = offsetOf(start_time) === 0 && offsetOf(end_time) === 0
  const isRight = counted === quarters || (isInUtc && quarters > 1 && counted === quarters - 1)
  if (!isRight) report(`counts ${counted} quarter-hours, but its window has ${quarters}`)
}

/** What an event says of its command that no decision depends on. */
const judgeCircumstances = ({ type, data, metadata }: Recorded, report: Report): void => {
  if (type === 'ReservationCreated') judgeCounted(data, report)
  if (type === 'ReservationBound' && metadata.client === undefined) report('binds a reservation to no client')
  if (type === 'ReservationReleased' && (data.cause !== undefined) !== (metadata.actor === 'schedule'))
    report('names a cause, which only releases by the schedule have, or none')
}

/** Decides an event again on the state of its stream before it, and reports what differs. Returns the state after it. */
export const judgeAgain = (
  before: StreamState | undefined,
  event: Recorded,
  context: LogContext & { readonly logVersion: number },
  report: Report,
): StreamState | undefined => {
  const fold = foldOf(event.stream)
  if (fold === undefined) return undefined
  const state = before ?? fold.initial
  try {
    const decision = DECIDED_AGAIN[event.type]?.(state, event, context)
    judgeCircumstances(event, report)
    if (decision !== undefined) reportDecision(decision, event, context.logVersion, report)
  } catch (error) {
    if (!(error instanceof NoSuchTime)) throw error
    report(error.message)
    return before
  }
  return fold.evolve(state as never, event)
}

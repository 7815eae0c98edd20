import * as E from 'fp-ts/lib/Either.js'
import type { Decision, StreamState } from '../../domain/decider.ts'
import type { Event, Recorded } from '../../domain/event.ts'
import type { Failure } from '../../domain/failure.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { DECIDED_AGAIN, foldOf, type LogContext, NoSuchTime } from './commands.ts'
import type { Report } from './streams.ts'

/** What the command does not say: what a window counts that was asked for by its length, and the series. */
const withRest = (decided: Event, recorded: Event): Event => {
  if (decided.type !== 'ReservationCreated' || recorded.type !== 'ReservationCreated') return decided
  const { counted: _, ...data } = decided.data
  const { counted, series_id } = recorded.data
  return {
    type: 'ReservationCreated',
    data: { ...data, ...(counted !== undefined && { counted }), ...(series_id !== undefined && { series_id }) },
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
    if (decision !== undefined) reportDecision(decision, event, context.logVersion, report)
  } catch (error) {
    if (!(error instanceof NoSuchTime)) throw error
    report(error.message)
    return before
  }
  return fold.evolve(state as never, event)
}

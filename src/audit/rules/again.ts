import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../../domain/decider.ts'
import type { DataOf, Event, Recorded } from '../../domain/event.ts'
import type { Failure } from '../../domain/failure.ts'
import { type ReservationCommand, reservationDecider } from '../../domain/reservation/decide.ts'
import { quartersIn } from '../../domain/reservation/quota.ts'
import { type SutCommand, sutDecider } from '../../domain/sut/decide.ts'
import type { SutState, SutValues } from '../../domain/sut/state.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { epochSecondsOf, type OffsetTime, offsetOf, parseOffsetTime } from '../../domain/values/instant.ts'
import type { Report } from '../state/state.ts'
import type { Schedule } from './schedule.ts'

/**
 * Decides again what is in the stream of a SUT: an event says which command it came from, and the domain's own decider
 * says on the state before what that command records.
 */

/** What the log says beside the stream of the SUT. */
interface Context {
  /** Unix milliseconds. */
  readonly now: number
  readonly schedule: Schedule
  readonly logVersion: number
}

/** The configuration is not in the log. Milliseconds. */
const NO_LIMITS = { windowMax: Number.MAX_SAFE_INTEGER, horizon: Number.MAX_SAFE_INTEGER }

/** Version of the log from which on what is kept alive follows the rules of today. */
const RULES_OF_LIFE = 5

class NoSuchTime extends Error {}

const timeIn = (text: string): OffsetTime => {
  const time = parseOffsetTime(text)
  if (E.isLeft(time)) throw new NoSuchTime(`has the time ${text}, which ${time.left}`)
  return time.right
}

const updateOf = ({ _id, tags, credentials, ...values }: DataOf<'SutUpdated'>): SutCommand =>
  tags === undefined
    ? { type: 'UpdateSut', values: values as Partial<SutValues>, ...(credentials && { credentials }) }
    : { type: 'TagSut', tags }

/** The command of an event about a SUT; undefined for other events. */
const sutCommandOf = ({ type, data }: Event): SutCommand | undefined => {
  switch (type) {
    case 'SutCreated': {
      const { _id, listen_port, tags, credentials, ...values } = data
      return {
        ...{ type: 'CreateSut', _id, listen_port, values },
        ...(tags && { tags }),
        ...(credentials && { credentials }),
      }
    }
    case 'SutCreationAbandoned':
      return { type: 'AbandonSutCreation', ...data }
    case 'SutUpdated':
      return updateOf(data)
    case 'SutRetired':
      return { type: 'RetireSut' }
    case 'SutMonitoringEnabled':
      return { type: 'SetMonitoring', interval: data.interval }
    case 'SutMonitoringDisabled':
      return { type: 'SetMonitoring', interval: null }
    default:
      return undefined
  }
}

/** Who may act for whom is checked of every event (envelope.ts). Here the actor is the holder, in its own role. */
const actorOf = (user_id: string, { metadata }: Recorded) => ({ _id: user_id, role: metadata.role })

const creationOf = (event: Extract<Recorded, { readonly type: 'ReservationCreated' }>): ReservationCommand => {
  const { sut_id, user_id, start_time, end_time, beyond_quota, keepalive, match, sut_request_id } = event.data
  const isMatch = match !== undefined || sut_request_id !== undefined
  return {
    ...{ type: 'CreateReservation', actor: actorOf(user_id, event), sut_id, user_id, userExists: true },
    window: { form: 'explicit', start: timeIn(start_time), end: timeIn(end_time) },
    ...{ limits: NO_LIMITS, keepalive, random: '' },
    ...(beyond_quota && { isBeyondQuota: true }),
    ...(isMatch && { match: { criteria: match, holderScope: undefined, sut_request_id } }),
  }
}

/** The command of an event about a reservation; undefined for other events. */
const reservationCommandOf = (event: Recorded, { schedule: { from } }: Context): ReservationCommand | undefined => {
  const { type, data, metadata } = event
  if (!('_id' in data && 'user_id' in data && 'sut_id' in data)) return undefined
  const { _id, user_id } = data
  const of = { actor: actorOf(user_id, event), _id, user_id, documentStatus: 'made' } as const
  switch (type) {
    case 'ReservationCreated':
      return creationOf(event)
    case 'ReservationExtended': {
      const isBeyondQuota = data.beyond_quota === true
      return { type: 'ExtendReservation', ...of, end: timeIn(data.end_time), limits: NO_LIMITS, isBeyondQuota }
    }
    case 'ReservationShortened':
      return { type: 'ShortenReservation', ...of, end: timeIn(data.end_time) }
    case 'ReservationReleased':
      if (data.cause !== undefined) return { type: 'ReleaseUnattended', _id, cause: data.cause }
      return { type: 'CancelReservation', ...of }
    case 'ReservationCancelled':
      return { type: 'CancelReservation', ...of }
    case 'ReservationBound':
      return { type: 'BindReservation', ...of, client: metadata.client ?? '' }
    case 'ReservationUnbound':
      return { type: 'UnbindReservation', _id }
    case 'ReservationKept':
      return { type: 'KeepReservation', ...of }
    case 'ReservationStarted':
    case 'ReservationEnded':
      return from === undefined ? undefined : { type: 'AdvanceSchedule', sut_id: data.sut_id, from }
    default:
      return undefined
  }
}

/** What follows from an event's command; undefined if nothing says what does. */
const decideAgain = (state: SutState, event: Recorded, context: Context): Decision | undefined => {
  const command = sutCommandOf(event)
  if (command !== undefined) return sutDecider.decide(state, command, context.now)
  const ofReservation = reservationCommandOf(event, context)
  return ofReservation && reservationDecider.decide(state, ofReservation, context.now)
}

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
  const [one, other] = [decided.data, recorded.data] as Readonly<Record<string, unknown>>[]
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])
  return [...names].filter((name) => canonicalJson(one?.[name] ?? null) !== canonicalJson(other?.[name] ?? null))
}

/** Logs of before then recorded other signs of life, and counted them otherwise. A log without a version is none. */
const isOfOldLife = ({ type, data }: Event, { logVersion }: Context): boolean =>
  logVersion > 0 &&
  logVersion < RULES_OF_LIFE &&
  (type === 'ReservationKept' || ('cause' in data && data.cause === 'keepalive'))

const reportDecision = (decision: Decision, event: Recorded, context: Context, report: Report): void => {
  const { type } = event
  if (E.isLeft(decision)) {
    report(`is a ${type} that is refused, ${describeRefusal(decision.left)}`)
    return
  }
  const [first] = decision.right
  if (first === undefined) {
    if (!isOfOldLife(event, context)) report(`is a ${type} without an effect`)
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

/** Checks an event in the stream of a SUT on the state before it. Returns the state after it. */
export const judgeAgain = (state: SutState, event: Recorded, context: Context, report: Report): SutState => {
  try {
    const decision = decideAgain(state, event, context)
    judgeCircumstances(event, report)
    if (decision !== undefined) reportDecision(decision, event, context, report)
  } catch (error) {
    if (!(error instanceof NoSuchTime)) throw error
    report(error.message)
    return state
  }
  return sutDecider.evolve(state, event)
}

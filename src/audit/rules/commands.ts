/**
 * The command that each event came from. The domain's own decider says, on the state before it, what that command
 * records. What an event does not say of its command is filled in so that no lawful event is refused: limits of the
 * configuration, names in the vault, signs of life that may have been in reach.
 */

import * as E from 'fp-ts/lib/Either.js'
import { formatWindow } from '../../domain/calendar/window.ts'
import type { Decider, Decision, StreamState } from '../../domain/decider.ts'
import type { DataOf, EventType, Recorded } from '../../domain/event.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import type { Offer } from '../../domain/matching/candidates.ts'
import { refusalsDecider } from '../../domain/refusals/decide.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { changeWaiting, findWaiting, type RequestsState } from '../../domain/request/queue.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sessionDecider } from '../../domain/session/decide.ts'
import { sutDecider } from '../../domain/sut/decide.ts'
import type { SutValues } from '../../domain/sut/state.ts'
import { tokenDecider } from '../../domain/token/decide.ts'
import { userDecider } from '../../domain/user/decide.ts'
import {
  LISTEN_PORTS_STREAM,
  REFUSALS_STREAM,
  REQUESTS_STREAM,
  USERS_STREAM,
  WEBHOOKS_STREAM,
} from '../../domain/values/ids.ts'
import {
  epochMillisecondsOf,
  epochSecondsOf,
  type OffsetTime,
  offsetOf,
  parseOffsetTime,
} from '../../domain/values/instant.ts'
import { findWebhook, webhookDecider } from '../../domain/webhook/decide.ts'

/** What the log says beside the stream of an event. */
export interface LogContext {
  /** Time of the event in Unix milliseconds. */
  readonly now: number
  /** The offer that a reservation takes up which was made for a request; undefined if it has none. */
  readonly offerOf: (requestId: string | undefined) => Offer | undefined
  readonly mayBeRetired: (sutId: string) => boolean
}

type OfType<T extends EventType> = Extract<Recorded, { readonly type: T }>
type Commands<S, C> = { readonly [T in EventType]?: (event: OfType<T>, context: LogContext, state: S) => C | undefined }
/** Undefined if nothing says what the command was. */
type DecideAgain = (state: StreamState, event: Recorded, context: LogContext) => Decision | undefined

/** How the domain decides again on the commands of one decider, by types of events. */
const decidedBy =
  <S extends StreamState, C>({ decide }: Pick<Decider<S, C>, 'decide'>) =>
  (commands: Commands<S, C>): Readonly<Partial<Record<EventType, DecideAgain>>> => {
    const again = ([type, commandOf]: [string, unknown]): [string, DecideAgain] => [
      type,
      (state, event, context) => {
        const command = (commandOf as (...args: unknown[]) => C | undefined)(event, context, state)
        return command && decide(state as S, command, context.now)
      },
    ]
    return Object.fromEntries(Object.entries(commands).map(again))
  }

/** A time that no calendar has. */
export class NoSuchTime extends Error {}

const timeIn = (text: string): OffsetTime => {
  const time = parseOffsetTime(text)
  if (E.isLeft(time)) throw new NoSuchTime(`has the time ${text}, which ${time.left}`)
  return time.right
}

/** The random part of an id. Its beginning is the second in which it was assigned, which is decided again. */
const randomOf = (_id: string): string => _id.slice(8)

/** Who may act for whom is checked of every event (envelope.ts). Here the actor is the holder, in its own role. */
const holderOf = ({ data: { user_id }, metadata: { role } }: Recorded & { data: { readonly user_id: string } }) => ({
  ...{ _id: user_id, role },
})

const ofSut = decidedBy(sutDecider)({
  SutCreated: ({ data: { _id, listen_port, tags, credentials, ...values } }) => ({
    ...{ type: 'CreateSut', _id, listen_port, values },
    ...(tags && { tags }),
    ...(credentials && { credentials }),
  }),
  SutUpdated: ({ data: { _id, tags, credentials, ...values } }) =>
    tags === undefined
      ? { type: 'UpdateSut', values: values as Partial<SutValues>, ...(credentials && { credentials }) }
      : { type: 'TagSut', tags },
  SutRetired: () => ({ type: 'RetireSut' }),
  SutMonitoringEnabled: ({ data }) => ({ type: 'SetMonitoring', interval: data.interval }),
  SutMonitoringDisabled: () => ({ type: 'SetMonitoring', interval: null }),
})

const NO_LIMITS = { windowMax: Number.MAX_SAFE_INTEGER, horizon: Number.MAX_SAFE_INTEGER }

type OfReservation = Extract<Recorded, { readonly data: DataOf<'ReservationCancelled'> }>
const ofMade = (event: OfReservation) => {
  const { _id, user_id } = event.data
  return { actor: holderOf(event), _id, user_id } as const
}

const advance = ({ data }: OfReservation) => ({ type: 'AdvanceSchedule', sut_id: data.sut_id }) as const

const ofReservation = decidedBy(reservationDecider)({
  ReservationCreated: (event, { offerOf }) => {
    const { _id, sut_id, user_id, start_time, end_time, beyond_quota, keepalive, match, sut_request_id } = event.data
    const offer = offerOf(sut_request_id)
    const { start_time: from, end_time: to } = offer === undefined ? { start_time, end_time } : formatWindow(offer)
    const isMatch = match !== undefined || sut_request_id !== undefined
    return {
      ...{ type: 'CreateReservation', actor: holderOf(event), userExists: true },
      ...{ sut_id: offer?.sut_id ?? sut_id, user_id: offer?.user_id ?? user_id },
      window: { form: 'explicit', start: timeIn(from), end: timeIn(to) },
      ...{ limits: NO_LIMITS, keepalive, random: randomOf(_id) },
      ...(beyond_quota && { isBeyondQuota: true }),
      ...(isMatch && { match: { criteria: match, holderScope: undefined, sut_request_id, offer } }),
    }
  },
  ReservationExtended: (event) => {
    const { end_time, beyond_quota = false } = event.data
    const end = timeIn(end_time)
    return { type: 'ExtendReservation', ...ofMade(event), end, limits: NO_LIMITS, isBeyondQuota: beyond_quota }
  },
  ReservationShortened: (event) => ({ type: 'ShortenReservation', ...ofMade(event), end: timeIn(event.data.end_time) }),
  ReservationReleased: (event) =>
    event.data.cause === undefined
      ? { type: 'CancelReservation', ...ofMade(event) }
      : { type: 'ReleaseUnattended', _id: event.data._id, cause: event.data.cause },
  ReservationCancelled: (event) => ({ type: 'CancelReservation', ...ofMade(event) }),
  ReservationBound: (event) => ({ type: 'BindReservation', ...ofMade(event), client: event.metadata.client ?? '' }),
  ReservationUnbound: ({ data }) => ({ type: 'UnbindReservation', _id: data._id }),
  ReservationKept: (event) => ({ type: 'KeepReservation', ...ofMade(event) }),
  ReservationStarted: advance,
  ReservationEnded: advance,
  ReservationOfferRefused: ({ data }) => ({ type: 'RefuseOffer', ...data }),
})

/** Whoever waits may have given every sign of life, or none: by which of them it is decided that nothing is refused. */
const [ALL_HEARD, NONE_HEARD] = [0, Number.POSITIVE_INFINITY]

const ofWaiting = (event: OfType<'RequestKept' | 'RequestWithdrawn'>) => {
  const { _id, user_id } = event.data
  return { actor: holderOf(event), _id, user_id }
}

const ofRequest = decidedBy(requestDecider)({
  ReservationRequested: (event, { now }) => {
    const { _id, expires_at, ...request } = event.data
    return {
      ...{ type: 'MakeRequest', actor: holderOf(event), request, random: randomOf(_id), reservationRandom: '' },
      // What it is offered comes next. One that does not wait is refused unless something is.
      ...{ candidates: [], grants: { windowFor: () => undefined, mayHave: () => false }, reachableFor: NONE_HEARD },
      wait: (epochMillisecondsOf(expires_at) - now) / 1_000 || Number.MIN_VALUE,
    }
  },
  RequestKept: (event) => ({ type: 'KeepRequest', ...ofWaiting(event), reachableFor: NONE_HEARD }),
  RequestWithdrawn: (event) => ({ type: 'WithdrawRequest', ...ofWaiting(event) }),
  RequestGranted: ({ data: { _id, sut_reservation_id } }) => ({
    ...{ type: 'EndOffer', _id, sut_reservation_id, outcome: 'granted' },
  }),
  RequestOfferClosed: ({ data: { _id, sut_reservation_id } }) => ({
    ...{ type: 'EndOffer', _id, sut_reservation_id, outcome: 'closed' },
  }),
})

/** Whether the SUT fits and is free is decided in its own stream. */
const offerAgain = (state: RequestsState, { data, revision }: OfType<'RequestOffered'>, now: number): Decision => {
  const { _id, sut_id, sut_reservation_id, start_time, end_time } = data
  const window = { start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) }
  const offsets = { startOffset: offsetOf(start_time), endOffset: offsetOf(end_time) }
  // One that does not wait is offered a SUT as it is made. Older logs have reservations that were offered others, too.
  const queue = changeWaiting(state.queue, _id, (request) => ({
    ...request,
    ...((request.revision === revision - 1 || request.create !== undefined) && { expiresAt: Number.POSITIVE_INFINITY }),
  }))
  const grants = {
    windowFor: (request: { readonly _id: string; readonly sut_id?: string }) =>
      request._id === _id && (request.sut_id ?? sut_id) === sut_id ? { ...window, ...offsets } : undefined,
    mayHave: () => true,
  }
  const random = () => randomOf(sut_reservation_id)
  const command = { type: 'OfferSuts', sutIds: [sut_id], grants, random, reachableFor: ALL_HEARD } as const
  return requestDecider.decide({ ...state, queue }, command, now)
}

/** Each expires by itself, whatever others do. */
const expireAgain = (state: RequestsState, { data }: OfType<'RequestExpired'>, context: LogContext): Decision => {
  const request = findWaiting(state.queue, data._id)
  const sutId = request?.sut_id
  const isRetired = data.cause === 'retired' && sutId !== undefined && context.mayBeRetired(sutId)
  const retired = new Set(isRetired ? [sutId] : [])
  const alone = { ...state, queue: request === undefined ? [] : [request] }
  return requestDecider.decide(alone, { type: 'ExpireRequests', retired, reachableFor: NONE_HEARD }, context.now)
}

/** Names are in the vault, and claimed there to be free. */
const known = { get: (id: string) => id || 'none' } as ReadonlyMap<string, string>

const ofUser = decidedBy(userDecider)({
  UserAdded: ({ data }) => ({ type: 'AddUsers', users: [{ ...data, folded: '' }], known }),
  UserChanged: ({ data }) => ({ type: 'ChangeUser', ...data }),
  UserRemoved: ({ data }) => ({ type: 'RemoveUser', ...data }),
  UserRestored: ({ data }) => ({ type: 'RestoreUser', ...data, claim: { folded: '', known } }),
  UserErased: ({ data }) => ({ type: 'EraseUser', ...data }),
})

const ofToken = decidedBy(tokenDecider)({
  TokenIssued: ({ data }) => ({ type: 'IssueToken', token: data }),
  TokenRevoked: ({ data: { _id, user_id, session_until } }) =>
    session_until === undefined
      ? { type: 'RevokeToken', _id, user_id }
      : { type: 'EndSession', session: { _id, user_id, session_until } },
})

const ofSession = decidedBy(sessionDecider)({
  SessionOpened: ({ data }) => ({ type: 'RecordSession', session: data, end: undefined }),
  SessionClosed: ({ data: { _id, closed_at, connections, bytes_to_sut, bytes_from_sut, cause } }) => ({
    ...{ type: 'CloseSession', _id, end: { closed_at, connections, bytes_to_sut, bytes_from_sut, cause } },
  }),
})

const ofListenPort = decidedBy(listenPortDecider)({
  ListenPortAssigned: ({ data: { listen_port, sut_id } }) => ({
    ...{ type: 'AssignListenPorts', range: { first: listen_port, last: listen_port }, randoms: [randomOf(sut_id)] },
  }),
  ListenPortReleased: ({ data }) => ({ type: 'ReleaseListenPort', sut_id: data.sut_id }),
})

const ofRefusals = decidedBy(refusalsDecider)({
  RefusalsCounted: ({ data: { from, to, ...counts }, metadata }) => ({
    ...{ type: 'CountRefusals', requestId: metadata.request_id, ...counts },
    ...{ from: epochMillisecondsOf(from), to: epochMillisecondsOf(to) },
  }),
})

const NO_FILTER = { types: null, sut_id: null, user_id: null, match: null }
const begunIn = (state: Parameters<typeof findWebhook>[0], _id: string): number => findWebhook(state, _id)?.begun ?? -1

const ofWebhook = decidedBy(webhookDecider)({
  WebhookCreated: ({ data }) => ({ type: 'CreateWebhook', webhook: data }),
  WebhookUpdated: ({ data: { filter, ...changed } }) => ({
    ...{ type: 'UpdateWebhook', ...changed },
    ...(filter && { filter: { ...NO_FILTER, ...filter } }),
  }),
  WebhookSecretReplaced: ({ data }, _, state) => ({
    ...{ type: 'ReplaceWebhookSecret', ...data, replaces: findWebhook(state, data._id)?.secret ?? '' },
  }),
  WebhookEnabled: ({ data }) => ({ type: 'EnableWebhook', ...data }),
  WebhookDisabled: ({ data }, _, state) => ({ type: 'DisableWebhook', ...data, begun: begunIn(state, data._id) }),
  WebhookReplayed: ({ data }) => ({ type: 'ReplayWebhook', ...data }),
  WebhookAdvanced: ({ data }, _, state) => ({ type: 'AdvanceWebhook', ...data, begun: begunIn(state, data._id) }),
  WebhookRemoved: ({ data }) => ({ type: 'RemoveWebhook', ...data }),
})

/** How each type of event is decided again. Those of the log as a whole, of series and of probes have no command. */
export const DECIDED_AGAIN: Readonly<Partial<Record<EventType, DecideAgain>>> = {
  ...ofSut,
  ...ofReservation,
  ...ofRequest,
  RequestOffered: (state, event, { now }) => offerAgain(state as never, event as never, now),
  RequestExpired: (state, event, context) => expireAgain(state as never, event as never, context),
  ...ofUser,
  ...ofToken,
  ...ofSession,
  ...ofListenPort,
  ...ofRefusals,
  ...ofWebhook,
}

interface Fold {
  readonly initial: StreamState
  readonly evolve: (state: never, event: Recorded) => StreamState
}

/** By the name of a stream up to its first dash. */
const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ['sut', sutDecider],
  ['sessions', sessionDecider],
  ['tokens', tokenDecider],
  [LISTEN_PORTS_STREAM, listenPortDecider],
  [USERS_STREAM, userDecider],
  [REQUESTS_STREAM, requestDecider],
  [REFUSALS_STREAM, refusalsDecider],
  [WEBHOOKS_STREAM, webhookDecider],
])

/** How the events of a stream are folded; undefined where nothing is decided. */
export const foldOf = (stream: string): Fold | undefined => FOLDS.get(stream.split('-', 1)[0] as string)

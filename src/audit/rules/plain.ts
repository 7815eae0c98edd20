import { QUARTER } from '../../domain/calendar/window.ts'
import type { DataOf, Recorded } from '../../domain/event.ts'
import { COUNTED_MAX } from '../../domain/events/refusals.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting } from '../../domain/request/queue.ts'
import { findUser, type UserState, type UsersState } from '../../domain/user/state.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { LISTEN_PORTS_STREAM, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../../domain/values/instant.ts'
import { type Assigned, millisecondsIn } from './envelope.ts'
import type { Report, Streams } from './streams.ts'

/**
 * Rules of what no decider knows: plain ones, on what spans streams, where these are certain, on what events of users and
 * tokens say beyond their commands, and on series.
 */

/** The second append of a creation creates the SUT or abandons it, at the port that the first assigned. */
const judgePortUsed = (
  { _id, listen_port }: DataOf<'SutCreationAbandoned'>,
  createdAt: number | undefined,
  streams: Streams,
  report: Report,
): void => {
  const ports = streams.stateOf(LISTEN_PORTS_STREAM, listenPortDecider)
  if (ports === undefined) return
  const assignment = ports.assigned.find(({ sut_id }) => sut_id === _id)
  if (assignment === undefined) report('refers to a SUT without a listen_port')
  else if (assignment.listen_port !== listen_port)
    report(`has the listen_port ${listen_port}, but the SUT was assigned ${assignment.listen_port}`)
  else if (createdAt !== undefined && assignment.time !== createdAt)
    report('has a different time than the assignment of its listen_port')
}

/** Of a SUT that is retired, or whose creation was broken off. */
const judgePortReleased = ({ sut_id }: DataOf<'ListenPortReleased'>, { sutOf }: Streams, report: Report): void => {
  if (sutOf(sut_id)?.status === 'standing') report(`releases the listen_port of the SUT ${sut_id}, which is standing`)
}

/** A reservation for a request that waited is the one that it was offered. */
const judgeGranted = (data: DataOf<'ReservationCreated'>, { stateOf }: Streams, report: Report): void => {
  const { _id, sut_request_id, end_time } = data
  const requests = stateOf(REQUESTS_STREAM, requestDecider)
  if (sut_request_id === undefined || requests === undefined) return
  const offer = findWaiting(requests.queue, sut_request_id)?.offer
  if (offer?.sut_reservation_id !== _id)
    report(`was made for the request ${sut_request_id}, which was offered another reservation`)
  else if (offer.end * 1_000 !== Date.parse(end_time)) report('has another end than its offer')
}

/** What must have become of an offer in the stream of its SUT. */
const NEEDED = { RequestGranted: 'taken', RequestOfferClosed: 'refused' } as const

const judgeOfferEnd = (
  { type, data: { sut_reservation_id: _id } }: Extract<Recorded, { readonly type: keyof typeof NEEDED }>,
  { offerStatus }: Assigned,
  report: Report,
): void => {
  const status = offerStatus(_id)
  if (status !== undefined && status !== NEEDED[type]) report(`is a ${type}, but the offer ${_id} is ${status}`)
}

const judgeSession = (data: DataOf<'SessionOpened'>, assigned: Assigned, streams: Streams, report: Report): void => {
  const { reservation_id, sut_id } = data
  if (streams.sutOf(sut_id) === undefined) return
  const isOwn = assigned.isHeldBy(reservation_id, data)
  if (isOwn === undefined) report(`is about the reservation ${reservation_id}, which does not exist`)
  else if (!isOwn) report(`names another SUT or user than the reservation ${reservation_id} has`)
}

const judgeRefusals = ({ refusals, others }: DataOf<'RefusalsCounted'>, streams: Streams, report: Report): void => {
  if (refusals.length > COUNTED_MAX) report(`has ${refusals.length} counts, more than ${COUNTED_MAX}`)
  if (refusals.length === 0 && others === undefined) report('counts nothing')
  const names = refusals.map(({ count: _, ...refused }) => canonicalJson(refused))
  if (new Set(names).size < names.length) report('counts the same in two places')
  for (const { sut_id, match } of refusals) {
    if ((sut_id === undefined) === (match === undefined))
      report('counts what names not exactly one of sut_id and match')
    if (sut_id !== undefined && !streams.all().has(sutStream(sut_id)))
      report(`counts refusals of the SUT ${sut_id}, which does not exist`)
  }
}

/** The longest time that a request may wait, in milliseconds: 7 days. */
const WAIT_MAX_MS = 604_800_000

const judgeRequested = (data: DataOf<'ReservationRequested'>, time: number, report: Report): void => {
  const { sut_id, match, expires_at } = data
  const expires = millisecondsIn(expires_at)
  if ((sut_id === undefined) === (match === undefined)) report('asks for a SUT and for any, or for neither')
  if (!(expires >= time && expires <= time + WAIT_MAX_MS)) report(`waits until ${expires_at}`)
}

/** Checks an event, before it is applied, against what is known of other streams. */
export const judgeBetween = (
  event: Recorded,
  time: number,
  { streams, assigned }: { readonly streams: Streams; readonly assigned: Assigned },
  report: Report,
): void => {
  const { type, data } = event
  if (type === 'SutCreated') judgePortUsed(data, time, streams, report)
  if (type === 'SutCreationAbandoned') judgePortUsed(data, undefined, streams, report)
  if (type === 'ListenPortReleased') judgePortReleased(data, streams, report)
  if (type === 'ReservationCreated') judgeGranted(data, streams, report)
  if (type === 'ReservationRequested') judgeRequested(data, time, report)
  if (type === 'RequestGranted' || type === 'RequestOfferClosed') judgeOfferEnd(event, assigned, report)
  if (type === 'SessionOpened') judgeSession(data, assigned, streams, report)
  if (type === 'RefusalsCounted') judgeRefusals(data, streams, report)
}

/**
 * Time after a restoration in which the service may still end reservations made before it, and after a removal in which
 * a token may still be issued. They are decided on other streams, so those in flight are not refused.
 */
const IN_FLIGHT_MAX_MS = 60_000

const isRecent = (at: string | undefined, time: number): boolean =>
  at !== undefined && time - epochMillisecondsOf(at) <= IN_FLIGHT_MAX_MS

/** A single sign-on adds users with an identity, which never changes, and gives them roles. */
const judgeIdentity = ({ type, data, metadata }: Recorded, report: Report): void => {
  const isSignOn = metadata.role === 'system' && metadata.actor === 'oidc'
  if (type === 'UserAdded' && data.credentials.changed.includes('identity') !== isSignOn)
    report(isSignOn ? 'adds a user without an identity' : 'adds a user with an identity')
  if (type === 'UserAdded' && !data.credentials.changed.includes('name')) report('adds a user without a name')
  if (type !== 'UserChanged') return
  if (data.credentials?.changed.includes('identity')) report('changes the identity of a user')
  if (isSignOn && Object.keys(data).some((field) => field !== '_id' && field !== 'role'))
    report('changes more than a role')
}

const judgeIssued = (
  { _id, user_id, role, credentials, token_scope }: DataOf<'TokenIssued'>,
  issuer: Recorded['metadata']['role'],
  user: UserState | 'uncertain' | undefined,
  time: number,
  report: Report,
): void => {
  if (credentials.changed.length !== 1 || credentials.changed[0] !== _id)
    report(`issues the token ${_id} with the name of another`)
  if (issuer !== 'administrator' && issuer !== role) report(`issues a token with the role ${role}, by a ${issuer}`)
  if (token_scope !== undefined && role === 'tester') report(`issues a token for ${token_scope} with the role ${role}`)
  if (user === 'uncertain' || user?.status === 'present' || isRecent(user?.removed_at, time)) return
  report(`issues a token of the user ${user_id}, who is not present`)
}

/** Whether the service may end a reservation of a user: it was removed with its reservations, perhaps a moment ago. */
const isToLose = (user: UserState | undefined, reservationId: string, time: number): boolean => {
  if (user === undefined || user.removal === 'cancel') return user !== undefined
  // An id begins with the second in which it was assigned.
  const made = Number.parseInt(reservationId.slice(0, 8), 16) * 1_000
  return user.status === 'present' && isRecent(user.updated_at, time) && made < epochMillisecondsOf(user.updated_at)
}

/** @param users undefined if their stream is uncertain */
export const judgePeople = (event: Recorded, time: number, users: UsersState | undefined, report: Report): void => {
  const { type, data, metadata } = event
  judgeIdentity(event, report)
  if (type === 'TokenIssued')
    judgeIssued(data, metadata.role, users === undefined ? 'uncertain' : findUser(users, data.user_id), time, report)
  // Sessions are not recorded when they begin. They are ended by their user, at two instances perhaps twice.
  if (type === 'TokenRevoked' && data.session_until !== undefined && metadata.actor !== data.user_id)
    report(`ends the session ${data._id} of the user ${data.user_id}, by ${metadata.actor}`)
  const isEnd = type === 'ReservationCancelled' || type === 'ReservationReleased'
  if (!isEnd || metadata.actor !== 'berth' || users === undefined) return
  if (!isToLose(findUser(users, data.user_id), data._id, time))
    report(`is by the service, but the user ${data.user_id} was not removed with its reservations`)
}

/** A series whose reservations have not all come yet. They follow it in the same append. */
interface OpenSeries {
  readonly _id: string
  readonly user_id: string
  readonly requestId: string
  readonly count: number
  /** Reservations still to come. */
  readonly left: number
  /** The first window on the grid, and where the last one ended, in Unix seconds. */
  readonly first: { readonly start: number; readonly end: number }
  readonly after: number
}

type SeriesEvent = Extract<Recorded, { readonly type: 'ReservationSeriesCreated' }>
type Created = Extract<Recorded, { readonly type: 'ReservationCreated' }>

const floorToQuarter = (moment: number): number => Math.floor(moment / QUARTER) * QUARTER

const begin = ({ data, metadata }: SeriesEvent, report: Report): OpenSeries => {
  const [start, end] = [epochSecondsOf(data.start_time), epochSecondsOf(data.end_time)]
  if (!(start < end)) report('has an empty window')
  const { _id, user_id, count } = data
  const first = { start: floorToQuarter(start), end: -floorToQuarter(-end) }
  return { _id, user_id, count, left: count, requestId: metadata.request_id, first, after: 0 }
}

const judgeMember = (series: OpenSeries, { data, metadata }: Created, report: Report): OpenSeries | undefined => {
  const [start, end] = [epochSecondsOf(data.start_time), epochSecondsOf(data.end_time)]
  if (data.series_id !== series._id) report(`belongs to the series ${data.series_id}, after the series ${series._id}`)
  if (data.user_id !== series.user_id) report('has another holder than its series')
  if (metadata.request_id !== series.requestId) report('was recorded for another request than its series')
  if (start < series.after) report('begins before the reservation of its series before it ends')
  const isFirst = series.left === series.count
  if (isFirst && (floorToQuarter(start) !== series.first.start || end !== series.first.end))
    report('has another window than its series says of the first one')
  return series.left === 1 ? undefined : { ...series, left: series.left - 1, after: end }
}

/** Makes the function that checks that an event in the stream of a SUT is what must follow a series, or of none. */
export const makeJudgeSeries = () => {
  const open = new Map<string, OpenSeries>()
  return (event: Recorded, report: Report): void => {
    const series = open.get(event.stream)
    open.delete(event.stream)
    const isMember = event.type === 'ReservationCreated' && event.data.series_id !== undefined
    if (isMember && series !== undefined) {
      const rest = judgeMember(series, event, report)
      if (rest !== undefined) open.set(event.stream, rest)
      return
    }
    if (series !== undefined)
      report(`comes before all of the series ${series._id}: ${series.left} of its reservations are missing`)
    if (isMember) report(`belongs to the series ${event.data.series_id}, which is not before it`)
    if (event.type === 'ReservationSeriesCreated') open.set(event.stream, begin(event, report))
  }
}

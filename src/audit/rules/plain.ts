/** Rules of what no decider knows: plain ones, on what spans streams, where these are certain. */

import { type DataOf, factsOf, type Recorded } from '../../domain/event.ts'
import { subjectId } from '../../domain/idempotency-records.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import type { Offer } from '../../domain/matching/candidates.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting } from '../../domain/request/queue.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { findUser, type UserState } from '../../domain/user/state.ts'
import { LISTEN_PORTS_STREAM, REQUESTS_STREAM, USERS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { compact } from './envelope.ts'
import type { Report, Streams } from './streams.ts'

interface Holder {
  readonly sut_id: string
  readonly user_id: string
}

/** The ids that events have assigned. Those of reservations are kept with their holder. */
const makeAssigned = () => {
  const ids = new Map<string, string>()
  /** One text for each holder, which its reservations share. */
  const holders = new Map<string, string>()
  const holderOf = ({ sut_id, user_id }: Holder): string => {
    const holder = `${sut_id} ${user_id}`
    if (!holders.has(holder)) holders.set(holder, holder)
    return holders.get(holder) as string
  }
  return {
    judge: (event: Recorded, report: Report): void => {
      if (factsOf(event.type).assigns !== true) return
      const id = subjectId(event)
      if (ids.has(compact(id))) report(`assigns an id that was assigned before, ${id}`)
      ids.set(compact(id), event.type === 'ReservationCreated' ? holderOf(event.data) : '')
    },
    has: (id: string): boolean => ids.has(compact(id)),
    isHeldBy: (id: string, holder: Holder): boolean => ids.get(compact(id)) === holderOf(holder),
  }
}

type Assigned = ReturnType<typeof makeAssigned>

/** The second append of a creation creates the SUT at the port that the first assigned. */
const judgePortUsed = ({ _id, listen_port }: DataOf<'SutCreated'>, streams: Streams, report: Report): void => {
  const ports = streams.stateOf(LISTEN_PORTS_STREAM, listenPortDecider)
  if (ports === undefined) return
  const assignment = ports.assigned.find(({ sut_id }) => sut_id === _id)
  if (assignment === undefined) report('refers to a SUT without a listen_port')
  else if (assignment.listen_port !== listen_port)
    report(`has the listen_port ${listen_port}, but the SUT was assigned ${assignment.listen_port}`)
}

/** The offer of a request that a reservation takes up; undefined if it has none, or its stream is uncertain. */
export const findOffer = ({ stateOf }: Streams, requestId: string | undefined): Offer | undefined =>
  findWaiting(stateOf(REQUESTS_STREAM, requestDecider)?.queue ?? [], requestId ?? '')?.offer

const judgeForRequest = ({ sut_request_id: id }: DataOf<'ReservationCreated'>, streams: Streams, report: Report) => {
  const isKnown = id !== undefined && streams.stateOf(REQUESTS_STREAM, requestDecider) !== undefined
  if (isKnown && findOffer(streams, id) === undefined) report(`was made for the request ${id}, which has no open offer`)
}

/** An offer ends by what became of it in the stream of its SUT. */
const judgeOfferEnd = (
  { type, data }: Extract<Recorded, { readonly type: 'RequestGranted' | 'RequestOfferClosed' }>,
  assigned: Assigned,
  report: Report,
): void => {
  const isMade = assigned.has(data.sut_reservation_id)
  if (isMade !== (type === 'RequestGranted'))
    report(`is a ${type}, but the reservation ${data.sut_reservation_id} ${isMade ? 'was' : 'was not'} made`)
}

const judgeSession = (data: DataOf<'SessionOpened'>, assigned: Assigned, report: Report): void => {
  const { reservation_id } = data
  if (!assigned.has(reservation_id)) report(`is about the reservation ${reservation_id}, which does not exist`)
  else if (!assigned.isHeldBy(reservation_id, data))
    report(`names another SUT or user than the reservation ${reservation_id} has`)
}

/**
 * Time after a restoration in which the service may still end reservations made before it, and after a removal in which
 * a token may still be issued. They are decided on other streams, so those in flight are not refused.
 */
const IN_FLIGHT_MAX_MS = 60_000

const isRecent = (at: string | undefined, time: number): boolean =>
  at !== undefined && time - epochMillisecondsOf(at) <= IN_FLIGHT_MAX_MS

const judgeIssued = (
  { user_id, role }: DataOf<'TokenIssued'>,
  issuer: Recorded['metadata']['role'],
  user: UserState | undefined,
  time: number,
  report: Report,
): void => {
  if (issuer !== 'administrator' && issuer !== role) report(`issues a token with the role ${role}, by a ${issuer}`)
  if (user?.status !== 'present' && !isRecent(user?.removed_at, time))
    report(`issues a token of the user ${user_id}, who is not present`)
}

/** Whether the service may end a reservation of a user: it was removed with its reservations, perhaps a moment ago. */
const isToLose = (user: UserState | undefined, reservationId: string, time: number): boolean => {
  if (user === undefined || user.removal === 'cancel') return user !== undefined
  // An id begins with the second in which it was assigned.
  const made = Number.parseInt(reservationId.slice(0, 8), 16) * 1_000
  return user.status === 'present' && isRecent(user.updated_at, time) && made < epochMillisecondsOf(user.updated_at)
}

const judgePeople = (event: Recorded, time: number, { stateOf }: Streams, report: Report): void => {
  const { type, data, metadata } = event
  // Sessions are not recorded when they begin. They are ended by their user, at two instances perhaps twice.
  if (type === 'TokenRevoked' && data.session_until !== undefined && metadata.actor !== data.user_id)
    report(`ends the session ${data._id} of the user ${data.user_id}, by ${metadata.actor}`)
  const users = stateOf(USERS_STREAM, userDecider)
  if (users === undefined || !('user_id' in data)) return
  const user = findUser(users, data.user_id)
  if (type === 'TokenIssued') judgeIssued(data, metadata.role, user, time, report)
  const isEnd = type === 'ReservationCancelled' || type === 'ReservationReleased'
  if (isEnd && metadata.actor === 'berth' && !isToLose(user, data._id, time))
    report(`is by the service, but the user ${data.user_id} was not removed with its reservations`)
}

/** Makes the function that checks that reservations of a series follow it in its append, as many as it says. */
const makeJudgeSeries = () => {
  const open = new Map<string, { readonly _id: string; readonly user_id: string; readonly left: number }>()
  return ({ stream, type, data }: Recorded, report: Report): void => {
    const series = open.get(stream)
    open.delete(stream)
    if (type === 'ReservationSeriesCreated') open.set(stream, { ...data, left: data.count })
    const own = type === 'ReservationCreated' ? data : undefined
    if (own?.series_id === series?._id) {
      if (series !== undefined && own?.user_id !== series.user_id) report('has another holder than its series')
      if (series !== undefined && series.left > 1) open.set(stream, { ...series, left: series.left - 1 })
    } else if (series === undefined) report(`belongs to the series ${own?.series_id}, which is not before it`)
    else report(`comes before all of the series ${series._id}: ${series.left} of its reservations are missing`)
  }
}

/** Makes the function that checks an event, before it is applied, against what is known of other streams. */
export const makeJudgePlain = (streams: Streams) => {
  const assigned = makeAssigned()
  const judgeSeries = makeJudgeSeries()
  return (event: Recorded, time: number, report: Report): void => {
    const { type, data } = event
    assigned.judge(event, report)
    judgeSeries(event, report)
    judgePeople(event, time, streams, report)
    if (type === 'SutCreated') judgePortUsed(data, streams, report)
    const sut = 'sut_id' in data && data.sut_id !== undefined ? streams.sutOf(data.sut_id) : undefined
    if (type === 'ListenPortReleased' && sut?.status === 'standing')
      report(`releases the listen_port of the SUT ${data.sut_id}, which is standing`)
    if (type === 'ReservationCreated') judgeForRequest(data, streams, report)
    const isProbe = type === 'SutWentOnline' || type === 'SutWentOffline'
    if (isProbe && streams.sutOf(data._id)?.status === 'absent')
      report(`is about the SUT ${data._id}, which does not exist`)
    if (sut === undefined) return
    if (type === 'RequestGranted' || type === 'RequestOfferClosed') judgeOfferEnd(event, assigned, report)
    if (type === 'SessionOpened') judgeSession(data, assigned, report)
  }
}

import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../domain/failure.ts'
import type { User } from '../../../domain/user/user.ts'
import { epochSecondsOf, formatMilliseconds } from '../../../domain/values/instant.ts'
import { withoutBody } from '../../codecs/body.ts'
import type { Attached } from '../../console/bridge.ts'
import type { ConsoleTicket } from '../../console/consoles.ts'
import { CONSOLE_PATH, handshakeProblem } from '../../console/handshake.ts'
import { type Call, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import { type Code, type Refusal, refusal } from '../../protocol/problem.ts'
import { get, holders, post, type Route, refTo } from '../../protocol/route.ts'
import { explainOver, findReservation, OF_RESERVATION } from '../../response/find-reservation.ts'
import type { Parts } from '../parts.ts'
import { NOT_FORWARDED } from './connection.ts'

const TICKET_LIFETIME_MS = 30_000
const NONCE_BYTES = 16
/** For the gateway to open a reservation after its start. */
const OPEN_TIMEOUT_MS = 1_000

/** Finds the reservation if its holder may open a console now. */
const checkConsole = async (parts: Parts, id: string, user: User): ReturnType<typeof findReservation> => {
  const { forwarded, isOurs, clock } = parts
  const result = await findReservation(parts, id, user, false)
  if (E.isLeft(result)) return result
  const { reservation, isReleased, sut } = result.right
  const { _id, sut_id, start_time, end_time } = reservation
  if (sut.sut_type !== 'vnc') {
    return refuse('not_vnc', `The SUT is of type ${sut.sut_type}. Only vnc SUTs have a console.`)
  }
  // The gateway decides what is running, because it does not follow a clock that jumps.
  if (isOurs(sut_id) && forwarded.has(_id)) return result
  const now = clock() / 1000
  if (!isReleased && epochSecondsOf(start_time) > now) {
    return refuse('reservation_not_running', `The reservation starts at ${start_time}.`)
  }
  if (isReleased || epochSecondsOf(end_time) <= now) return E.left(await explainOver(parts, _id, user))
  if (!isOurs(sut_id)) return E.left(NOT_FORWARDED)
  await forwarded.waitUntilOpen(_id, OPEN_TIMEOUT_MS)
  return forwarded.has(_id) ? result : E.left(NOT_FORWARDED)
}

const issue = async (parts: Parts, { id, user }: Call): RouteResult => {
  const { consoleTickets, clock, randomHex } = parts
  const result = await checkConsole(parts, id, user)
  if (E.isLeft(result)) return result
  const { reservation, position } = result.right
  const expires = clock() + TICKET_LIFETIME_MS
  const { name: _, scope: __, ...access } = user
  const ticket = consoleTickets.seal({ reservationId: reservation._id, access, expires, nonce: randomHex(NONCE_BYTES) })
  const body = { url: `${CONSOLE_PATH}${ticket}`, expires_at: formatMilliseconds(expires) }
  return E.right({ status: 200, body: JSON.stringify(body), headers: NO_STORE, position })
}

const NO_UPGRADE = refusal(
  'upgrade_required',
  'This address is a WebSocket. Send Connection: Upgrade, Upgrade: websocket.',
)
const INVALID = refusal('ticket_invalid', 'The ticket is unknown, has expired, or was used before.')
const FULL = refusal('gateway_full', 'Too many connections are open, in all or of this reservation.')

interface Admitted {
  readonly ticket: ConsoleTicket
  readonly user: User
}

/** Checks everything about a request except its reservation. */
const admit = async (
  { consoleTickets, ticketHolder, clock }: Parts,
  { request, params }: Call,
): Promise<E.Either<Refusal, Admitted>> => {
  const wrong = handshakeProblem(request)
  if (wrong !== undefined) return E.left(wrong)
  const ticket = consoleTickets.open(params.ticket ?? '')
  const user = ticket && (await ticketHolder(ticket))
  const isValid = ticket !== undefined && user !== undefined && ticket.expires > clock()
  return isValid ? E.right({ ticket, user }) : E.left(INVALID)
}

/** Connects to the SUT of a reservation. */
const attachTo = async (
  parts: Parts,
  { ticket: { reservationId }, user }: Admitted,
): Promise<E.Either<Refusal, Attached>> => {
  const result = await checkConsole(parts, reservationId, user)
  if (E.isLeft(result)) return result
  const attached = await parts.attach(reservationId)
  if ('refused' in attached) {
    if (attached.refused === 'over') return E.left(await explainOver(parts, reservationId, user))
    return E.left(attached.refused === 'full' ? FULL : refusal('unavailable', 'The gateway is not ready. Try again.'))
  }
  // From now on it is cut when the user's access ends, which may have happened meanwhile.
  if (parts.consoles.isHolder(user)) return E.right(attached)
  attached.stream.destroy()
  return E.left(INVALID)
}

/** Opens a console for the ticket in the path. */
const connect = async (parts: Parts, call: Call): RouteResult => {
  const { used, isClosed, open } = parts.consoles
  if (call.upgraded === undefined) return E.left(NO_UPGRADE)
  const admitted = await admit(parts, call)
  if (E.isLeft(admitted)) return admitted
  const { user, ticket } = admitted.right
  call.setUser(user)
  if (isClosed()) return E.left(refusal('unavailable', 'The service is stopping.'))
  const claimed = used.claim(ticket.nonce, ticket.expires)
  if (claimed !== 'claimed') return E.left(claimed === 'used' ? INVALID : FULL)
  let isOpen = false
  try {
    const attached = await attachTo(parts, admitted.right)
    if (E.isLeft(attached)) return attached
    isOpen = open(attached.right, user, call)
    return E.right({ status: 101, body: '' })
  } finally {
    if (!isOpen) used.release(ticket.nonce)
  }
}

const OF_CONSOLE: readonly Code[] = ['not_vnc', 'reservation_not_running', 'reservation_over', 'not_forwarded']

export const consoleRoutes: readonly Route<Parts>[] = [
  post('/api/sut_reservation/:id/console', {
    id: 'openConsole',
    summary: 'Get a ticket for a console in the browser',
    guide: 'machines.md#console-in-the-browser',
    description:
      'For the holder alone, while the reservation of a vnc SUT runs. Open `url` as a WebSocket with the subprotocol `binary`, within 30 seconds. It speaks RFB (RFC 6143) without a password.',
    roles: holders,
    ...withoutBody,
    answer: refTo('ConsoleTicket'),
    refusals: [...OF_RESERVATION, ...OF_CONSOLE],
    handler: issue,
  }),
  // The ticket is the credential.
  get(`${CONSOLE_PATH}:ticket`, {
    id: 'connectConsole',
    summary: 'Connect to the screen of a SUT',
    description:
      'A WebSocket. Each ticket opens one. The server closes with 4000 when the reservation is over, 4001 when it was released, 4002 when the SUT ends the connection, and 1001 when the service stops.',
    roles: 'anyone',
    answer: refTo('Connection'),
    isUpgrade: true,
    refusals: [
      'upgrade_required',
      'ticket_invalid',
      'cross_site',
      'reservation_not_found',
      'reservation_cancelled',
      ...OF_CONSOLE,
      'gateway_full',
    ],
    handler: connect,
  }),
]

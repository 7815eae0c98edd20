import { isIPv6, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { SutInternal } from '../../../../projections/sut.ts'
import { find } from '../../../domain/calendar/calendar.ts'
import { failure, invalid } from '../../../domain/failure.ts'
import { reservationDecider } from '../../../domain/reservation/decide.ts'
import { sutStream } from '../../../domain/values/ids.ts'
import { epochMillisecondsOf, epochSecondsOf, formatMilliseconds } from '../../../domain/values/instant.ts'
import { type WaitQuery, waitQuery } from '../../codecs/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import { getWithQuery, holders, refTo } from '../../protocol/declaration.ts'
import { refusal } from '../../protocol/problem.ts'
import { type Call, type Caller, JSON_TYPE, type MediaTypes, type RouteResult } from '../../protocol/route.ts'
import { type FoundReservation, findReservation, OF_RESERVATION } from '../../response/find-reservation.ts'
import type { LastError } from '../../response/forwarded.ts'
import type { Parts } from '../parts.ts'
import { CONNECTION_FILES, type ConnectionFile, FILE_MEDIA_TYPES } from './connection-file.ts'

/** How to reach a reserved SUT through this instance. */
export interface ConnectionDocument {
  readonly host: string | null
  readonly port: number
  readonly sut_type: 'vnc' | 'rdp' | 'tcp'
  readonly open: boolean
  readonly bound: boolean
  readonly bound_here: boolean
  /** When it is released unless somebody connects; null if it is not. */
  readonly released_unused_at: string | null
  readonly connections: number
  readonly last_error: LastError | null
}

/** Whether an address is a wildcard, on which a server listens for all addresses. */
const isAnyAddress = (host: string): boolean => {
  if (!isIPv6(host)) return host === '0.0.0.0'
  const { address } = new SocketAddress({ family: 'ipv6', address: host })
  return address === '::' || address === '::ffff:0.0.0.0'
}

/** The pseudonym of the client that a reservation is bound to. Undefined if its key no longer exists. */
const makeBindingOf =
  ({ runner, clientPseudonyms, clock }: Pick<Parts, 'runner' | 'clientPseudonyms' | 'clock'>) =>
  async ({ reservation, isReleased }: FoundReservation): Promise<string | undefined> => {
    const { _id, sut_id, end_time } = reservation
    if (isReleased || epochSecondsOf(end_time) * 1000 <= clock()) return undefined
    const held = await runner.inspect(reservationDecider, sutStream(sut_id), ({ windows }) => find(windows, _id))
    const pseudonym = held?.client ?? undefined
    return pseudonym !== undefined && clientPseudonyms.isKnown(pseudonym) ? pseudonym : undefined
  }

/** What a client connects to; null where this instance does not forward the SUT. */
const hostOf = (
  { isOurs, gatewayHost }: Pick<Parts, 'isOurs' | 'gatewayHost'>,
  sutId: string,
  asked: string,
): string | null => (isOurs(sutId) ? (isAnyAddress(gatewayHost) ? asked : gatewayHost) : null)

const makeFileOf =
  (parts: Parts) =>
  ({ reservation, position }: FoundReservation, file: ConnectionFile, asked: string): Awaited<RouteResult> => {
    const { sut_id, listen_port: port } = reservation
    const host = hostOf(parts, sut_id, asked)
    if (host === null) {
      return E.left(failure('not_forwarded', 'This instance does not forward the SUT. Another one may.'))
    }
    const version = parts.views.newest('sut', sut_id)
    const display = version === undefined ? {} : (JSON.parse(version.internal) as SutInternal).settings
    const headers = { 'Content-Disposition': `attachment; filename="berth-${port}.${file.extension}"` }
    return E.right({
      status: 200,
      body: file.write({ host, port, display }),
      mediaType: file.mediaType,
      headers,
      position,
    })
  }

/** When a reservation that is not over is released unless somebody connects; null if it is not. */
const makeUnusedAt =
  ({ unusedDue, isOurs, clock }: Pick<Parts, 'unusedDue' | 'isOurs' | 'clock'>) =>
  async ({ reservation, isReleased }: FoundReservation): Promise<string | null> => {
    const { _id, sut_id, start_time, created_at } = reservation
    const ends = epochSecondsOf(reservation.end_time) * 1000
    // Only instances that forward the SUT release it.
    if (isReleased || ends <= clock() || !isOurs(sut_id)) return null
    const begins = Math.max(epochSecondsOf(start_time) * 1000, epochMillisecondsOf(created_at))
    const due = await unusedDue({ _id, sut_id, begins, ends })
    return due === undefined ? null : formatMilliseconds(due)
  }

const makeConnectionOf = (parts: Parts) => {
  const { clientPseudonyms, forwarded } = parts
  const bindingOf = makeBindingOf(parts)
  const unusedAt = makeUnusedAt(parts)
  return async (found: FoundReservation, { host: asked, address }: Pick<Caller, 'host' | 'address'>): RouteResult => {
    const { reservation, sut, position } = found
    const { _id: id, sut_id, listen_port: port } = reservation
    const host = hostOf(parts, sut_id, asked)
    const pseudonym = await bindingOf(found)
    const connection: ConnectionDocument = {
      host,
      port,
      sut_type: sut.sut_type,
      open: host !== null && forwarded.isPortOpen(id),
      bound: pseudonym !== undefined,
      bound_here: pseudonym !== undefined && clientPseudonyms.matches(pseudonym, address),
      released_unused_at: await unusedAt(found),
      connections: forwarded.connections(id),
      last_error: forwarded.lastError(id) ?? null,
    }
    return E.right({ status: 200, body: JSON.stringify(connection), mediaType: JSON_TYPE, position })
  }
}

const makeRead = (parts: Parts) => {
  const { forwarded, isOurs, clock } = parts
  const fileOf = makeFileOf(parts)
  const connectionOf = makeConnectionOf(parts)

  /** Whether it runs here now or later. */
  const mayOpen = ({ reservation: { sut_id, end_time }, isReleased }: FoundReservation): boolean =>
    isOurs(sut_id) && !isReleased && epochSecondsOf(end_time) * 1000 > clock()

  return async ({ params, user, caller, query: { wait } }: Call<unknown, WaitQuery>): RouteResult => {
    const find = () => findReservation(parts, params.id ?? '', user, true)
    const found = await find()
    if (E.isLeft(found)) return found
    const { accepts, ...from } = caller()
    const file = CONNECTION_FILES[found.right.sut.sut_type]
    const mediaTypes: MediaTypes = [JSON_TYPE, ...(file === undefined ? [] : [file.mediaType])]
    const mediaType = accepts(mediaTypes)
    if (mediaType === undefined) {
      return E.left(refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`))
    }
    if (file !== undefined && mediaType === file.mediaType) {
      return wait === undefined
        ? fileOf(found.right, file, from.host)
        : E.left(invalid([inQuery('wait', 'cannot be combined with a file for viewers')]))
    }
    if (!wait || !mayOpen(found.right)) return connectionOf(found.right, from)
    await forwarded.waitUntilOpen(found.right.reservation._id, wait * 1000)
    const now = await find()
    return E.isLeft(now) ? now : connectionOf(now.right, from)
  }
}

export const readConnection = getWithQuery({
  path: '/api/sut_reservation/:id/connection',
  id: 'readConnection',
  summary: 'Find out how to connect to the SUT',
  description:
    'Also as a file for viewers: `application/x-rdp` for SUTs of type rdp, `application/x-vnc` for those of type vnc. `open` and `connections` are those of this instance. With `wait` it answers when the port is open here, when that will never be, when it turns out that another program has the port, or after that time.',
  tag: 'Reservations',
  query: waitQuery,
  roles: holders,
  otherMediaTypes: FILE_MEDIA_TYPES,
  answer: refTo('Connection'),
  refusals: [...OF_RESERVATION, 'not_forwarded'],
  handler: makeRead,
})

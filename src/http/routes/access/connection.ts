import type { IncomingMessage } from 'node:http'
import { isIPv6, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { Session } from '../../../../projections/session.ts'
import type { RecordedSettings, SutInternal } from '../../../../projections/sut.ts'
import { findHeld } from '../../../commands/find-held.ts'
import { described, opaqueId } from '../../../domain/codec/codec.ts'
import { failure } from '../../../domain/failure.ts'
import {
  ceilMillisecond,
  epochMillisecondsOf,
  epochSecondsOf,
  floorMillisecond,
  formatMilliseconds,
} from '../../../domain/values/instant.ts'
import { ofHolder, ofPages, ofSut, paging, span, waitUntil } from '../../codecs/lists.ts'
import { onlyTrue, type QueryOf, queryOf, refuseParameter } from '../../codecs/query.ts'
import { type Call, JSON_TYPE, type MediaTypes, type RouteResult } from '../../protocol/call.ts'
import { refusal } from '../../protocol/problem.ts'
import { everyone, get, holders, refTo } from '../../protocol/route.ts'
import { CSV, CSV_COLUMNS } from '../../response/csv-lists.ts'
import { type FoundReservation, findReservation, OF_RESERVATION } from '../../response/find-reservation.ts'
import { withUserName } from '../../response/visibility.ts'
import { respondWithList } from '../list-response.ts'
import type { Parts } from '../parts.ts'

const waitQuery = waitUntil('the port is open here')

/** Whether an address is a wildcard, on which a server listens for all addresses. */
const isAnyAddress = (host: string): boolean => {
  if (!isIPv6(host)) return host === '0.0.0.0'
  const { address } = new SocketAddress({ family: 'ipv6', address: host })
  return address === '::' || address === '::ffff:0.0.0.0'
}

export const NOT_FORWARDED = failure('not_forwarded', 'This instance does not forward the SUT. Another one may.')

/** A file that viewers open to connect. It contains no secret. */
interface ConnectionFile {
  readonly mediaType: string
  readonly extension: string
  /** The lines. A host in IPv6 has brackets. The size of the desktop is there if known. */
  readonly write: (
    host: string,
    port: number,
    display: Pick<RecordedSettings, 'rdp_height' | 'rdp_width'>,
  ) => readonly string[]
}

/** The file for each type of SUT. A `tcp` SUT has none. */
const FILES: Readonly<Record<string, ConnectionFile>> = {
  rdp: {
    mediaType: 'application/x-rdp',
    extension: 'rdp',
    write: (host, port, { rdp_width, rdp_height }) => [
      `full address:s:${host}:${port}`,
      ...(rdp_width === undefined ? [] : [`desktopwidth:i:${rdp_width}`]),
      ...(rdp_height === undefined ? [] : [`desktopheight:i:${rdp_height}`]),
    ],
  },
  vnc: {
    mediaType: 'application/x-vnc',
    extension: 'vnc',
    write: (host, port) => ['[connection]', `host=${host}`, `port=${port}`],
  },
}

/** The host that a client addressed, by a valid Host header or, as HTTP/1.0 needs none, by the end of its connection. */
const addressedHost = ({ headers: { host }, socket }: IncomingMessage): string => {
  if (host === undefined) return (socket.localAddress ?? '').replace(/^::ffff:/, '')
  return /^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
}

/** What a client connects to; null where this instance does not forward the SUT. */
const hostOf = (
  { isOurs, gatewayHost }: Parts,
  { reservation }: FoundReservation,
  { request }: Call,
): string | null => {
  if (!isOurs(reservation.sut_id)) return null
  return isAnyAddress(gatewayHost) ? addressedHost(request) : gatewayHost
}

const fileOf = (
  parts: Parts,
  found: FoundReservation,
  { write, mediaType, extension }: ConnectionFile,
  call: Call,
): Awaited<RouteResult> => {
  const { reservation, position } = found
  const { sut_id, listen_port: port } = reservation
  const host = hostOf(parts, found, call)
  if (host === null) return E.left(NOT_FORWARDED)
  const version = parts.views.newest('sut', sut_id)
  const display = version === undefined ? {} : (JSON.parse(version.internal) as SutInternal).settings
  const lines = write(host.includes(':') ? `[${host}]` : host, port, display)
  const headers = { 'Content-Disposition': `attachment; filename="berth-${port}.${extension}"` }
  return E.right({ status: 200, body: lines.map((line) => `${line}\r\n`).join(''), mediaType, headers, position })
}

const isOver = ({ clock }: Parts, { reservation, isReleased }: FoundReservation): boolean =>
  isReleased || epochSecondsOf(reservation.end_time) * 1000 <= clock()

/** Whether it runs here now or later. */
const mayOpen = (parts: Parts, found: FoundReservation): boolean =>
  parts.isOurs(found.reservation.sut_id) && !isOver(parts, found)

/** The pseudonym of the client that a reservation is bound to. Undefined if its key no longer exists. */
const bindingOf = async (parts: Parts, found: FoundReservation): Promise<string | undefined> => {
  const { runner, clientPseudonyms } = parts
  const { _id, sut_id } = found.reservation
  if (isOver(parts, found)) return undefined
  const pseudonym = (await findHeld(runner, sut_id, _id))?.client ?? undefined
  return pseudonym !== undefined && clientPseudonyms.isKnown(pseudonym) ? pseudonym : undefined
}

/** When a reservation that is not over is released unless somebody connects; null if it is not. */
const unusedAt = async (parts: Parts, found: FoundReservation): Promise<string | null> => {
  // Only instances that forward the SUT release it.
  if (!mayOpen(parts, found)) return null
  const { _id, sut_id, start_time, end_time, created_at } = found.reservation
  const begins = Math.max(epochSecondsOf(start_time) * 1000, epochMillisecondsOf(created_at))
  const due = await parts.unusedDue({ _id, sut_id, begins, ends: epochSecondsOf(end_time) * 1000 })
  return due === undefined ? null : formatMilliseconds(due)
}

const connectionOf = async (parts: Parts, found: FoundReservation, call: Call): RouteResult => {
  const { clientPseudonyms, forwarded, addressOf } = parts
  const { reservation, sut, position } = found
  const id = reservation._id
  const host = hostOf(parts, found, call)
  const pseudonym = await bindingOf(parts, found)
  const connection = {
    host,
    port: reservation.listen_port,
    sut_type: sut.sut_type,
    open: host !== null && forwarded.openSince(id) !== undefined,
    bound: pseudonym !== undefined,
    bound_here: pseudonym !== undefined && clientPseudonyms.matches(pseudonym, addressOf(call.request)),
    released_unused_at: await unusedAt(parts, found),
    connections: forwarded.connections(id),
    last_error: forwarded.lastError(id) ?? null,
  }
  return E.right({ status: 200, body: JSON.stringify(connection), mediaType: JSON_TYPE, position })
}

const read = async (parts: Parts, call: Call<unknown, QueryOf<typeof waitQuery>>): RouteResult => {
  const { id, user, accepts, query } = call
  const { wait } = query
  const findIt = () => findReservation(parts, id, user, true)
  const result = await findIt()
  if (E.isLeft(result)) return result
  const file = FILES[result.right.sut.sut_type]
  const mediaTypes: MediaTypes = [JSON_TYPE, ...(file === undefined ? [] : [file.mediaType])]
  const mediaType = accepts(mediaTypes)
  if (mediaType === undefined) {
    return E.left(refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`))
  }
  if (file !== undefined && mediaType === file.mediaType) {
    return wait === undefined
      ? fileOf(parts, result.right, file, call)
      : refuseParameter('wait', 'cannot be combined with a file for viewers')
  }
  if (!wait || !mayOpen(parts, result.right)) return connectionOf(parts, result.right, call)
  await parts.forwarded.waitUntilOpen(result.right.reservation._id, wait * 1000, call.request.signal)
  const now = await findIt()
  return E.isLeft(now) ? now : connectionOf(parts, now.right, call)
}

export const readConnection = get('/api/sut_reservation/:id/connection', {
  id: 'readConnection',
  summary: 'Find out how to connect to the SUT',
  guide: 'machines.md#how-to-connect',
  description:
    'Also as a file for viewers: `application/x-rdp` for SUTs of type rdp, `application/x-vnc` for those of type vnc. `open` and `connections` are those of this instance. With `wait` it answers when the port is open here, when that will never be, when it turns out that another program has the port, or after that time.',
  query: waitQuery,
  roles: holders,
  otherMediaTypes: Object.values(FILES).map(({ mediaType }) => mediaType),
  answer: refTo('Connection'),
  refusals: [...OF_RESERVATION, 'not_forwarded'],
  handler: read,
})

const sessionsQuery = queryOf(
  {
    ...{ ...paging, sut_id: ofSut, user_id: ofHolder, ...span },
    reservation_id: described(opaqueId, 'Only those of this reservation.'),
    open: described(onlyTrue, 'Only sessions that are open.'),
  },
  { rules: ofPages },
)

const list = ({ nameOf, ...parts }: Parts, call: Call<unknown, QueryOf<typeof sessionsQuery>>) =>
  respondWithList(parts, call, ['session', 'sessions', 'sessions'], async () => {
    const { query, user } = call
    const { sut_id, user_id, reservation_id, from, to, open } = query
    return E.right({
      query: {
        ...{ sut_id, user_id, reservation_id, isOpen: open === true },
        ...(user.role === 'tester' && { seenBy: user._id }),
        ...(from && { closesAfter: floorMillisecond(from.instant) }),
        ...(to && { opensBefore: ceilMillisecond(to.instant) }),
      },
      columns: CSV_COLUMNS.session,
      show: (document) => JSON.stringify(withUserName(JSON.parse(document) as Session, nameOf)),
    })
  })

export const listSessions = get('/api/session', {
  id: 'listSessions',
  summary: 'List sessions, newest first',
  guide: 'machines.md#sessions',
  description:
    'A session is a period in which a reservation has connections at one instance. While it is open, members known only at its end are null. Testers see their own.',
  roles: everyone,
  otherMediaTypes: [CSV],
  query: sessionsQuery,
  answer: refTo('SessionList'),
  refusals: ['list_too_large', 'store_full'],
  handler: list,
})

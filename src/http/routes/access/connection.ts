import { isIPv6, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { RecordedSettings, SutInternal } from '../../../../projections/sut.ts'
import { find } from '../../../domain/calendar/calendar.ts'
import { failure, invalid } from '../../../domain/failure.ts'
import { reservationDecider } from '../../../domain/reservation/decide.ts'
import { sutStream } from '../../../domain/values/ids.ts'
import { epochMillisecondsOf, epochSecondsOf, formatMilliseconds } from '../../../domain/values/instant.ts'
import { type WaitQuery, waitQuery } from '../../codecs/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import { get, holders, refTo } from '../../protocol/declaration.ts'
import { refusal } from '../../protocol/problem.ts'
import { type Call, type Caller, JSON_TYPE, type MediaTypes, type RouteResult } from '../../protocol/route.ts'
import { type FoundReservation, findReservation, OF_RESERVATION } from '../../response/find-reservation.ts'
import type { LastError } from '../../response/forwarded.ts'
import type { Parts } from '../parts.ts'

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

/** Whether it runs here now or later. */
const mayOpen = ({ isOurs, clock }: Parts, { reservation, isReleased }: FoundReservation): boolean =>
  isOurs(reservation.sut_id) && !isReleased && epochSecondsOf(reservation.end_time) * 1000 > clock()

/** The pseudonym of the client that a reservation is bound to. Undefined if its key no longer exists. */
const bindingOf = async (
  { runner, clientPseudonyms, clock }: Parts,
  { reservation, isReleased }: FoundReservation,
): Promise<string | undefined> => {
  const { _id, sut_id, end_time } = reservation
  if (isReleased || epochSecondsOf(end_time) * 1000 <= clock()) return undefined
  const held = await runner.inspect(reservationDecider, sutStream(sut_id), ({ windows }) => find(windows, _id))
  const pseudonym = held?.client ?? undefined
  return pseudonym !== undefined && clientPseudonyms.isKnown(pseudonym) ? pseudonym : undefined
}

/** What a client connects to; null where this instance does not forward the SUT. */
const hostOf = ({ isOurs, gatewayHost }: Parts, sutId: string, asked: string): string | null =>
  isOurs(sutId) ? (isAnyAddress(gatewayHost) ? asked : gatewayHost) : null

const fileOf = (
  parts: Parts,
  { reservation, position }: FoundReservation,
  { write, mediaType, extension }: ConnectionFile,
  asked: string,
): Awaited<RouteResult> => {
  const { sut_id, listen_port: port } = reservation
  const host = hostOf(parts, sut_id, asked)
  if (host === null) {
    return E.left(failure('not_forwarded', 'This instance does not forward the SUT. Another one may.'))
  }
  const version = parts.views.newest('sut', sut_id)
  const display = version === undefined ? {} : (JSON.parse(version.internal) as SutInternal).settings
  const lines = write(host.includes(':') ? `[${host}]` : host, port, display)
  const headers = { 'Content-Disposition': `attachment; filename="berth-${port}.${extension}"` }
  return E.right({ status: 200, body: lines.map((line) => `${line}\r\n`).join(''), mediaType, headers, position })
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

const connectionOf = async (
  parts: Parts,
  found: FoundReservation,
  { host: asked, address }: Pick<Caller, 'host' | 'address'>,
): RouteResult => {
  const { clientPseudonyms, forwarded } = parts
  const { reservation, sut, position } = found
  const { _id: id, sut_id, listen_port: port } = reservation
  const host = hostOf(parts, sut_id, asked)
  const pseudonym = await bindingOf(parts, found)
  const connection: ConnectionDocument = {
    host,
    port,
    sut_type: sut.sut_type,
    open: host !== null && forwarded.isPortOpen(id),
    bound: pseudonym !== undefined,
    bound_here: pseudonym !== undefined && clientPseudonyms.matches(pseudonym, address),
    released_unused_at: await unusedAt(parts, found),
    connections: forwarded.connections(id),
    last_error: forwarded.lastError(id) ?? null,
  }
  return E.right({ status: 200, body: JSON.stringify(connection), mediaType: JSON_TYPE, position })
}

const read = async (parts: Parts, { params, user, caller, query: { wait } }: Call<unknown, WaitQuery>): RouteResult => {
  const findIt = () => findReservation(parts, params.id ?? '', user, true)
  const found = await findIt()
  if (E.isLeft(found)) return found
  const { accepts, ...from } = caller()
  const file = FILES[found.right.sut.sut_type]
  const mediaTypes: MediaTypes = [JSON_TYPE, ...(file === undefined ? [] : [file.mediaType])]
  const mediaType = accepts(mediaTypes)
  if (mediaType === undefined) {
    return E.left(refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`))
  }
  if (file !== undefined && mediaType === file.mediaType) {
    return wait === undefined
      ? fileOf(parts, found.right, file, from.host)
      : E.left(invalid([inQuery('wait', 'cannot be combined with a file for viewers')]))
  }
  if (!wait || !mayOpen(parts, found.right)) return connectionOf(parts, found.right, from)
  await parts.forwarded.waitUntilOpen(found.right.reservation._id, wait * 1000)
  const now = await findIt()
  return E.isLeft(now) ? now : connectionOf(parts, now.right, from)
}

export const readConnection = get({
  path: '/api/sut_reservation/:id/connection',
  id: 'readConnection',
  summary: 'Find out how to connect to the SUT',
  description:
    'Also as a file for viewers: `application/x-rdp` for SUTs of type rdp, `application/x-vnc` for those of type vnc. `open` and `connections` are those of this instance. With `wait` it answers when the port is open here, when that will never be, when it turns out that another program has the port, or after that time.',
  query: waitQuery,
  roles: holders,
  otherMediaTypes: Object.values(FILES).map(({ mediaType }) => mediaType),
  answer: refTo('Connection'),
  refusals: [...OF_RESERVATION, 'not_forwarded'],
  handler: read,
})

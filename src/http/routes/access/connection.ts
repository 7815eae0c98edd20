import { isIPv6, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { SutDisplay } from '../../../../projections/sut-display.ts'
import type { Runner } from '../../../commands/order.ts'
import { find } from '../../../domain/calendar/calendar.ts'
import { failure } from '../../../domain/failure.ts'
import { reservationDecider } from '../../../domain/reservation/decide.ts'
import { sutStream } from '../../../domain/values/ids.ts'
import { epochSecondsOf } from '../../../domain/values/instant.ts'
import type { Views } from '../../../read-models/views.ts'
import type { ClientPseudonyms } from '../../../vault/derived/client-pseudonyms.ts'
import { refusal } from '../../protocol/problem.ts'
import { type Call, JSON_TYPE, type MediaTypes, type RouteResult } from '../../protocol/route.ts'
import type { Objects } from '../../response/objects.ts'
import { CONNECTION_FILES } from './connection-file.ts'
import { type Found, findReservation } from './find-reservation.ts'
import type { Forwarded, LastError } from './forwarded.ts'

export interface ConnectionDependencies {
  readonly objects: Pick<Objects, 'newest' | 'latest'>
  readonly runner: Pick<Runner, 'look'>
  readonly views: Pick<Views, 'newest'>
  readonly clientPseudonyms: Pick<ClientPseudonyms, 'matches' | 'isKnown'>
  readonly forwarded: Forwarded
  /** Whether this instance forwards a SUT. */
  readonly isOurs: (sutId: string) => boolean
  /** The host that clients connect to. A wildcard address means the host of the request. */
  readonly gatewayHost: string
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** How to reach a reserved SUT through this instance. */
export interface Connection {
  readonly host: string | null
  readonly port: number
  readonly sut_type: 'vnc' | 'rdp' | 'tcp'
  readonly open: boolean
  readonly bound: boolean
  readonly bound_here: boolean
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
  ({ runner, clientPseudonyms, clock }: Pick<ConnectionDependencies, 'runner' | 'clientPseudonyms' | 'clock'>) =>
  async ({ reservation, isReleased }: Found): Promise<string | undefined> => {
    const { _id, sut_id, end_time } = reservation
    if (isReleased || epochSecondsOf(end_time) * 1000 <= clock()) return undefined
    const held = await runner.look(reservationDecider, sutStream(sut_id), ({ windows }) => find(windows, _id))
    const pseudonym = held?.client ?? undefined
    return pseudonym !== undefined && clientPseudonyms.isKnown(pseudonym) ? pseudonym : undefined
  }

export const makeConnectionHandler = (dependencies: ConnectionDependencies): ((call: Call) => RouteResult) => {
  const { objects, views, clientPseudonyms, forwarded, isOurs, gatewayHost } = dependencies
  const bindingOf = makeBindingOf(dependencies)

  const displayOf = (sutId: string): SutDisplay => {
    const version = views.newest('sut_display', sutId)
    return version === undefined ? {} : (JSON.parse(version.document) as SutDisplay)
  }

  return async ({ params, user, caller }) => {
    const found = await findReservation(objects, params.id ?? '', user, true)
    if (E.isLeft(found)) return found
    const { reservation, sut, position } = found.right
    const { _id: id, sut_id, listen_port: port } = reservation
    const { address, host: asked, accepts } = caller()
    const file = CONNECTION_FILES[sut.sut_type]
    const mediaTypes: MediaTypes = [JSON_TYPE, ...(file === undefined ? [] : [file.mediaType])]
    const mediaType = accepts(mediaTypes)
    if (mediaType === undefined) {
      return E.left(refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`))
    }
    const host = isOurs(sut_id) ? (isAnyAddress(gatewayHost) ? asked : gatewayHost) : null
    if (file !== undefined && mediaType === file.mediaType) {
      if (host === null)
        return E.left(failure('not_forwarded', 'This instance does not forward the SUT. Another one may.'))
      const headers = { 'Content-Disposition': `attachment; filename="berth-${port}.${file.extension}"` }
      const body = file.write({ host, port, display: displayOf(sut_id) })
      return E.right({ status: 200, body, mediaType, headers, position })
    }
    const pseudonym = await bindingOf(found.right)
    const connection: Connection = {
      host,
      port,
      sut_type: sut.sut_type,
      open: host !== null && forwarded.isOpen(id),
      bound: pseudonym !== undefined,
      bound_here: pseudonym !== undefined && clientPseudonyms.matches(pseudonym, address),
      connections: forwarded.connections(id),
      last_error: forwarded.lastError(id) ?? null,
    }
    return E.right({ status: 200, body: JSON.stringify(connection), mediaType, position })
  }
}

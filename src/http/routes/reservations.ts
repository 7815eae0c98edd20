import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Outcome } from '../../commands/command-envelope.ts'
import type { Quotas } from '../../commands/quotas.ts'
import { failure } from '../../domain/failure.ts'
import { type ReservationCommand, reservationDecider } from '../../domain/reservation/decide.ts'
import type { QuotaUse } from '../../domain/reservation/quota.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { laterPosition } from '../../domain/values/position.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { ExtensionBody, ShorteningBody } from '../codecs/bodies.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../protocol/route.ts'
import { makeKeptResponse } from '../response/keepalive.ts'
import { documentResponse } from '../response/objects.ts'
import { notFound, visibleTo } from '../response/visibility.ts'
import { makeCreateReservation, type ReservationDependencies } from './create-reservation.ts'

/** A reservation as its document shows it. */
interface Known {
  readonly _id: string
  readonly user_id: string
  readonly documentStatus: 'made' | 'released' | 'cancelled'
}

const knownOf = ({ id, ended }: Version, { user_id }: Reservation): Known => ({
  _id: id,
  user_id,
  documentStatus: ended === 'cancelled' || ended === 'released' ? ended : 'made',
})

type Change = (
  call: Call,
  command: (known: Known, quota: QuotaUse | undefined) => ReservationCommand,
  more?: {
    /** For commands that take time of a SUT. */
    readonly quotas?: Quotas | undefined
    readonly respond?: (version: Version, stream: string, outcome: Outcome<unknown>) => Promise<RouteResponse>
  },
) => RouteResult

/** Runs a command on the reservation in the path and responds with the result, by default its document. */
const makeChange =
  ({ runner, objects, explainOver }: Pick<ReservationDependencies, 'runner' | 'objects' | 'explainOver'>): Change =>
  async (call, command, { quotas, respond } = {}) => {
    const { params, user } = call
    const seen = visibleTo(objects, user)
    let found = await seen.newest('reservation', params.id ?? '')
    for (;;) {
      if (E.isLeft(found)) return found
      const version = found.right
      if (version === undefined) return E.left(notFound('reservation'))
      const reservation = JSON.parse(version.document) as Reservation
      const stream = sutStream(reservation.sut_id)
      const known = knownOf(version, reservation)
      const run = (quota: QuotaUse | undefined) =>
        runner.run(reservationDecider, stream, { ...envelopeOf(call), command: command(known, quota) })
      // Who may not is refused without waiting behind what the holder does.
      const takesTurn = quotas !== undefined && !isForbidden(user, known.user_id)
      const ended = await (takesTurn ? quotas.run(known.user_id, run) : run(undefined))
      if (E.isRight(ended)) {
        const after = await objects.after('reservation', version.id, stream, ended.right)
        return E.right((await respond?.(after, stream, ended.right)) ?? documentResponse('reservation', after, false))
      }
      // Reservations that are over have left the calendar. If this one ended after its document was read, the new
      // document shows how.
      if (ended.left.code === 'reservation_cancelled') return E.left(await explainOver(version.id, user))
      if (ended.left.code !== 'reservation_over') return ended
      found = await seen.latest('reservation', version.id)
      if (E.isRight(found) && found.right?.revision === version.revision)
        return E.left(await explainOver(version.id, user))
    }
  }

export const makeReservationHandlers = (dependencies: ReservationDependencies) => {
  const { objects, quotas, limits } = dependencies
  const change = makeChange(dependencies)
  const keptResponse = makeKeptResponse(dependencies)
  return {
    create: makeCreateReservation(dependencies),
    cancel: (call: Call) => change(call, (known) => ({ type: 'CancelReservation', actor: call.user, ...known })),
    extend: (call: Call<ExtensionBody>) => {
      const { user: actor, body } = call
      const command = (known: Known, quota: QuotaUse | undefined): ReservationCommand => ({
        ...{ type: 'ExtendReservation', actor, ...known, ...body, limits, quota, scope: actor.scope },
      })
      return change(call, command, { quotas: body.isBeyondQuota ? undefined : quotas })
    },
    shorten: (call: Call<ShorteningBody>) =>
      change(call, (known) => ({
        ...{ type: 'ShortenReservation', actor: call.user, ...known, end: call.body.end_time },
      })),
    update: async (call: Call): RouteResult => {
      const { user, client } = call
      if (client === undefined) {
        return E.left(failure('forbidden', 'A request over the control socket has no address to bind to.'))
      }
      return change(call, (known) => ({ type: 'BindReservation', actor: user, ...known, client }))
    },
    keepalive: (call: Call) =>
      change(call, (known) => ({ type: 'KeepReservation', actor: call.user, ...known }), {
        respond: async (version, stream, outcome) => {
          // What kept it alive is no version of its document.
          const { position } = await objects.after('reservation_keepalive', version.id, stream, outcome)
          return keptResponse({ ...version, position: laterPosition(version.position, position) })
        },
      }),
  }
}

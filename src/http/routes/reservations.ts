import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Quotas } from '../../commands/quotas.ts'
import { boolean, described, instant } from '../../domain/codec/codec.ts'
import { closedSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { refuse } from '../../domain/failure.ts'
import { type ReservationCommand, reservationDecider } from '../../domain/reservation/decide.ts'
import type { NewEnd } from '../../domain/reservation/extend.ts'
import type { QuotaUse } from '../../domain/reservation/quota.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { bodyOf, oneForm, withoutBody } from '../codecs/body.ts'
import { type Call, envelopeOf, type RouteResult } from '../protocol/call.ts'
import type { Code, Refusal } from '../protocol/problem.ts'
import { holders, post, type Route, refTo } from '../protocol/route.ts'
import { explainOver } from '../response/find-reservation.ts'
import { documentResponse } from '../response/objects.ts'
import { findVisible } from '../response/visibility.ts'
import { OF_BOOKING, OF_FORMS, OF_SUT, RESERVATION_READ_ONLY, seconds } from './create-reservation.ts'
import type { Parts } from './parts.ts'

const ENDS = {
  ...{ end_time: instant, duration: seconds },
  by: described(seconds, 'Seconds by which the end is to be later.'),
}
const beyond = { beyond_quota: boolean }

/** The end of an extension: exactly one of a time, and seconds from the reservation's start or beyond its end. */
export const extensionBody = bodyOf(closed('Extension', {}, { ...ENDS, ...beyond }), {
  readOnly: RESERVATION_READ_ONLY,
  lastRule: oneForm('window_required', 'window_ambiguous', ...Object.keys(ENDS).map((name) => [name])),
  schema: () => ({ oneOf: Object.entries(ENDS).map(([name, codec]) => closedSchema({ [name]: codec }, beyond)) }),
})

const shorteningBody = bodyOf(closed('Shortening', { end_time: instant }, {}), { readOnly: RESERVATION_READ_ONLY })

/** A reservation as its document shows it. */
type Known = Pick<Reservation, '_id' | 'user_id'>

/**
 * Runs a command on the reservation in the path, and reads its document.
 *
 * @param quotas for commands that take time of a SUT
 */
const change = async (
  parts: Parts,
  call: Call,
  command: (known: Known, quota: QuotaUse | undefined) => ReservationCommand,
  quotas?: Quotas,
): Promise<E.Either<Refusal, Version>> => {
  const { runner, objects } = parts
  const { id, user } = call
  const reservation = await findVisible(parts, user, 'reservation', id)
  if (E.isLeft(reservation)) return reservation
  const { _id, user_id, sut_id } = JSON.parse(reservation.right.document) as Reservation
  const stream = sutStream(sut_id)
  const run = (quota: QuotaUse | undefined) =>
    runner.run(reservationDecider, stream, { ...envelopeOf(call), command: command({ _id, user_id }, quota) })
  // Who may not is refused without waiting behind what the holder does.
  const takesTurn = quotas !== undefined && !isForbidden(user, user_id)
  const outcome = await (takesTurn ? quotas.run(user_id, run) : run(undefined))
  if (E.isRight(outcome)) return E.right(await objects.after('reservation', _id, stream, outcome.right))
  if (outcome.left.code !== 'reservation_over') return outcome
  // It may have ended after its document was read. The newest one shows how.
  const newest = await findVisible(parts, user, 'reservation', _id, 'latest')
  return E.isLeft(newest) ? newest : E.left(await explainOver(parts, _id, user))
}

const respond = async (...args: Parameters<typeof change>): RouteResult =>
  E.map((version: Version) => documentResponse('reservation', version, false))(await change(...args))

const OF_RESERVATION: readonly Code[] = ['not_your_reservation', 'reservation_not_found', 'reservation_over']
const OF_CHANGE: readonly Code[] = [...OF_RESERVATION, 'reservation_cancelled']

export const reservationChanges: readonly Route<Parts>[] = [
  post('/api/sut_reservation/:id/cancel', {
    id: 'cancelReservation',
    summary: 'Cancel or release a reservation',
    description:
      'A reservation that has not started is cancelled. A running one is released: it ends now. Either way the rest of its window is free at once.',
    roles: holders,
    isDestructive: true,
    isIdempotent: true,
    ...withoutBody,
    answer: refTo('Reservation'),
    refusals: OF_RESERVATION,
    handler: async (parts, call) => {
      const { user: actor } = call
      const cancelled = await change(parts, call, (known) => ({ type: 'CancelReservation', actor, ...known }))
      if (E.isLeft(cancelled)) return cancelled
      const { id, ended } = cancelled.right
      // One that was cancelled or released before is answered again. One that reached its end is over.
      if (ended === null) return E.left(await explainOver(parts, id, actor))
      return E.right(documentResponse('reservation', cancelled.right, false))
    },
  }),
  post('/api/sut_reservation/:id/extend', {
    id: 'extendReservation',
    summary: 'Extend a reservation',
    guide: 'reservations.md#extend',
    description:
      'Send a later end_time, a duration in seconds from the start, or by how many seconds the end that stands is to be later; then send an Idempotency-Key too. A conflict gives the latest possible end. Whether the reservation counts for the quota of its holder is decided again, as at its creation.',
    roles: holders,
    body: extensionBody,
    answer: refTo('Reservation'),
    refusals: [...OF_CHANGE, ...OF_SUT, ...OF_BOOKING, 'end_not_later', ...OF_FORMS],
    handler: (parts, call) => {
      const { user: actor, body } = call
      const { limits } = parts
      const { beyond_quota: isBeyondQuota = false, ...ends } = body
      const asked = { end: ends.end_time ?? (ends as NewEnd), isBeyondQuota, limits, scope: actor.scope }
      const command = (known: Known, quota: QuotaUse | undefined): ReservationCommand => ({
        ...{ type: 'ExtendReservation', actor, ...known, ...asked, quota },
      })
      return respond(parts, call, command, isBeyondQuota ? undefined : parts.quotas)
    },
  }),
  post('/api/sut_reservation/:id/shorten', {
    id: 'shortenReservation',
    summary: 'Let a reservation end earlier',
    description:
      'Send an earlier end_time that is after now. It is widened to its quarter-hour. What is freed is free at once. To end a reservation now, cancel it.',
    roles: holders,
    body: shorteningBody,
    answer: refTo('Reservation'),
    refusals: [...OF_CHANGE, 'end_not_earlier', 'end_not_later_than_now', 'window_empty'],
    handler: (parts, call) => {
      const { user: actor, body } = call
      return respond(parts, call, (known) => ({ type: 'ShortenReservation', actor, ...known, end: body.end_time }))
    },
  }),
  post('/api/sut_reservation/:id/update', {
    id: 'bindReservation',
    summary: 'Bind a reservation to your own address',
    guide: 'machines.md#who-may-connect',
    description:
      'Only connections from the address that sends this may then use the reservation. Connections from the former address are cut.',
    roles: holders,
    ...withoutBody,
    answer: refTo('Reservation'),
    refusals: OF_CHANGE,
    handler: async (parts, call) => {
      const { user: actor, client } = call
      return client === undefined
        ? refuse('forbidden', 'A request over the control socket has no address to bind to.')
        : respond(parts, call, (known) => ({ type: 'BindReservation', actor, ...known, client }))
    },
  }),
  post('/api/sut_reservation/:id/keepalive', {
    id: 'keepReservation',
    summary: 'Keep a reservation alive',
    guide: 'any-machine.md#keeping-alive',
    description:
      'For a reservation made with `keepalive`, whose seconds then count anew. Recorded the first time, then only when less than half of them are left, so it may be sent often. Once it was sent, connections do not keep the reservation alive any more. Before the start it changes nothing. An Idempotency-Key is ignored.',
    roles: holders,
    ...withoutBody,
    ignoresRetryKey: true,
    answer: refTo('Reservation'),
    isKept: true,
    refusals: [...OF_CHANGE, 'not_kept_alive'],
    handler: async (parts, call) => {
      const kept = await change(parts, call, (known) => ({ type: 'KeepReservation', actor: call.user, ...known }))
      return E.map((version: Version) => documentResponse('reservation', version, false, parts.clock()))(kept)
    },
  }),
]

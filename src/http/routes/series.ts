import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Series } from '../../../projections/series.ts'
import { type Outcome, readAppended } from '../../commands/command-envelope.ts'
import { boolean, instant, opaqueId, parsed } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import type { Recorded } from '../../domain/event.ts'
import type { Failure } from '../../domain/failure.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { OCCURRENCES_MAX, parseRule, type RecurrenceRule, RULE_LENGTH_MAX } from '../../domain/series/rule.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { toPublicPosition } from '../../domain/values/position.ts'
import { NO_STREAM } from '../../event-store/event-store.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import { reservationStateOf, type SeriesReservation } from '../../read-models/lists/reservations.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { type BodyOf, bodyOf, withoutBody } from '../codecs/body.ts'
import { ofHolder, ofPages, ofSut, paging, timeZone } from '../codecs/lists.ts'
import { queryOf } from '../codecs/query.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../protocol/call.ts'
import { everyone, get, holders, post, type Route, refTo } from '../protocol/route.ts'
import { viewsBehind } from '../response/objects.ts'
import { visibilityOf } from '../response/visibility.ts'
import { holderExists, OF_BOOKING, OF_WINDOW, runInTurn } from './create-reservation.ts'
import { respondWithList } from './list-response.ts'
import { type Show, withVisible } from './object-reads.ts'
import type { Parts } from './parts.ts'

/** A rule with the text that it was read from. */
const rrule = parsed(
  'rrule',
  (text) => E.map((rule: RecurrenceRule) => ({ text, rule }))(parseRule(text)),
  'must be a string like FREQ=WEEKLY;COUNT=10',
  () => ({
    ...{ type: 'string', minLength: 1, maxLength: RULE_LENGTH_MAX },
    pattern: '^[A-Za-z]+=[A-Za-z0-9,+-]+(?:;[A-Za-z]+=[A-Za-z0-9,+-]+)*$',
  }),
)

const seriesBody = bodyOf(
  closed(
    'Series',
    { sut_id: opaqueId, start_time: instant, end_time: instant, rrule, time_zone: timeZone },
    { user_id: opaqueId, beyond_quota: boolean },
  ),
  { readOnly: ['_id', 'created_at', 'count', 'series_id', 'sut_reservations'] },
)

const listQuery = queryOf({ ...paging, sut_id: ofSut, user_id: ofHolder }, { rules: ofPages })

/** The events that a command recorded, now or when it was first sent. */
const readRecorded = async (
  store: Parts['store'],
  stream: string,
  outcome: Outcome<unknown>,
): Promise<readonly Recorded[]> => {
  if (outcome.kind === 'recorded') return outcome.events
  if (outcome.kind === 'already') return []
  // A series is the largest append.
  const count = Math.min(OCCURRENCES_MAX + 1, outcome.revision - NO_STREAM)
  const events = await readAppended(store, stream, outcome.revision, count)
  return events.filter(({ metadata }) => metadata.request_id === events.at(-1)?.metadata.request_id)
}

/** Reservations shown in one turn of the event loop. */
const TURN_SIZE = 128

/** Responds with reservations as an append left them. */
const respond = async (
  { objects }: Parts,
  seriesId: string,
  stream: string,
  events: readonly Recorded[],
): Promise<RouteResponse> => {
  const documents: string[] = []
  let position: RouteResponse['position']
  for (const { type, data, revision, storePosition } of events) {
    if (type !== 'ReservationCreated' && type !== 'ReservationCancelled') continue
    // After the first, too: it waits until hundreds have been folded.
    if (documents.length % TURN_SIZE === 1) await turn()
    const shown = await objects.after('reservation', data._id, stream, { kind: 'recorded', revision, storePosition })
    documents.push(shown.document)
    if (shown.position >= 0) position = shown.position
  }
  const body = `{"series_id":"${seriesId}","sut_reservations":[${documents.join(',')}]}`
  return { status: 200, body, ...(position !== undefined && { position }) }
}

/** The reservations of a series, which are recorded with it. An instance may have come as far as a part of them. */
const readMembers = async (
  { objects, views }: Parts,
  { _id, count }: Series,
  { created }: Version,
): Promise<E.Either<Failure, ListResult<readonly SeriesReservation[]>>> =>
  (await views.waitForPublicPosition(toPublicPosition(created + count)))
    ? objects.showList('seriesReservations', _id)
    : E.left(viewsBehind())

const create = async (parts: Parts, call: Call<BodyOf<typeof seriesBody>>): RouteResult => {
  const { body, user } = call
  const { runner, store, users, quotas, seriesWindows, limits, randomHex, clock } = parts
  const { user_id = user._id, sut_id, start_time: start, end_time: end, time_zone: timeZone } = body
  const { rule, text: rrule } = body.rrule
  const first = { start, end, timeZone }
  const found = await seriesWindows.find({ rule, first, horizon: clock() + limits.horizon })
  if (E.isLeft(found)) return found
  const stream = sutStream(sut_id)
  const randoms = Array.from({ length: found.right.windows.length + 1 }, () => randomHex(8))
  const userExists = await holderExists(users, user, user_id)
  const holder = { actor: user, user_id, isBeyondQuota: body.beyond_quota ?? false }
  const about = { ...holder, sut_id, userExists, limits, scope: user.scope, first, rule, rrule, randoms }
  const result = await runInTurn(quotas, holder, (quota) => {
    const command = { type: 'CreateSeries', ...about, found: found.right, quota } as const
    return runner.run(reservationDecider, stream, { ...envelopeOf(call), command })
  })
  if (E.isLeft(result)) return result
  const events = await readRecorded(store, stream, result.right)
  const [made] = events
  if (made?.type !== 'ReservationSeriesCreated') throw new Error('a series was made without its event')
  const { _id } = made.data
  const response = await respond(parts, _id, stream, events)
  return E.right({ ...response, status: 201, headers: { Location: `/api/sut_reservation_series/${_id}` } })
}

const cancel: Show<Parts, Call> = async (parts, call, version) => {
  const { runner, store } = parts
  const series = JSON.parse(version.document) as Series
  const members = await readMembers(parts, series, version)
  if (E.isLeft(members)) return members
  const { _id, sut_id, user_id } = series
  const stream = sutStream(sut_id)
  const reservationIds = members.right.listed.map(({ id }) => id)
  const command = { type: 'CancelSeries', actor: call.user, user_id, reservationIds } as const
  const result = await runner.run(reservationDecider, stream, { ...envelopeOf(call), command })
  if (E.isLeft(result)) return result
  return E.right(await respond(parts, _id, stream, await readRecorded(store, stream, result.right)))
}

/** A series with its reservations and their states by now. */
const show: Show<Parts, Call> = async (parts, _call, version, now) => {
  const { document } = version
  const members = await readMembers(parts, JSON.parse(document) as Series, version)
  if (E.isLeft(members)) return members
  const { listed, position } = members.right
  const shown = listed.map((each) =>
    JSON.stringify({ ...(JSON.parse(each.document) as Reservation), state: reservationStateOf(each.ended, each, now) }),
  )
  const body = `${document.slice(0, -1)},"sut_reservations":[${shown.join(',')}]}`
  return E.right({ status: 200, body, position })
}

export const seriesRoutes: readonly Route<Parts>[] = [
  post('/api/sut_reservation_series/create', {
    id: 'createSeries',
    summary: 'Reserve a SUT again and again',
    guide: 'series.md',
    description:
      'start_time and end_time are the first window, rrule is the value of an RRULE of RFC 5545, which repeats it on the wall clock of time_zone. All windows are reserved, or none. A conflict lists the reservations in the way, each with the start of the occurrence. Without COUNT and UNTIL, the rule goes to the horizon or to its 366th window.',
    roles: holders,
    answersRepeats: true,
    body: seriesBody,
    answer: refTo('SeriesReservations'),
    isCreation: true,
    refusals: [
      ...(['not_your_reservation', 'sut_not_found', 'sut_retired', 'user_not_found'] as const),
      ...[...OF_BOOKING, ...OF_WINDOW],
      ...(['series_start_mismatch', 'series_too_long', 'series_too_short', 'series_overlaps'] as const),
    ],
    handler: create,
  }),
  get('/api/sut_reservation_series', {
    id: 'listSeries',
    summary: 'List series, newest created first',
    roles: everyone,
    query: listQuery,
    answer: refTo('SeriesList'),
    refusals: ['store_full'],
    handler: (parts, call) =>
      respondWithList(parts, call, ['series', 'series', 'sut_reservation_series'], async () => {
        const { sut_id, user_id } = call.query
        const ofSut = sut_id !== undefined && { sut_ids: [sut_id] }
        return E.right({ query: { ...ofSut, user_id, visibility: visibilityOf(call.user) } })
      }),
  }),
  get('/api/sut_reservation_series/:id', {
    id: 'readSeries',
    summary: 'Read a series with its reservations',
    description: 'Its reservations are in order of their start, cancelled ones too, each with its state by now.',
    roles: everyone,
    answer: refTo('Series'),
    refusals: ['series_not_found', 'store_full'],
    handler: withVisible('series', show),
  }),
  post('/api/sut_reservation_series/:id/cancel', {
    id: 'cancelSeries',
    summary: 'Cancel the rest of a series',
    description:
      'Cancels its reservations that have not begun, in one piece, and answers these. One that runs goes on: release it by itself.',
    roles: holders,
    answersRepeats: true,
    ...withoutBody,
    answer: refTo('SeriesReservations'),
    refusals: ['not_your_reservation', 'series_not_found', 'store_full'],
    handler: withVisible('series', cancel),
  }),
]

import * as E from 'fp-ts/lib/Either.js'
import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { described, instant, opaqueId } from '../../domain/codec/codec.ts'
import {
  ceilMillisecond,
  ceilSecond,
  epochSecondsOf,
  floorSecond,
  instantAt,
  isLater,
} from '../../domain/values/instant.ts'
import {
  type ReservationDetails,
  type ReservationListQuery as RowsQuery,
  reservationStateOf,
} from '../../read-models/lists/reservations.ts'
import {
  asOfParameter,
  asOfRoles,
  ofHolder,
  ofPages,
  paging,
  SUTS_MAX,
  span,
  waitParameter,
  wholeSpan,
} from '../codecs/lists.ts'
import {
  apart,
  inQuery,
  onlyTrue,
  type QueryOf,
  queryOf,
  type Rule,
  refuseParameter,
  several,
  wordsOf,
} from '../codecs/query.ts'
import type { Call } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { everyone, get, type Route, refTo } from '../protocol/route.ts'
import { CSV, CSV_COLUMNS } from '../response/csv-lists.ts'
import { explainOver } from '../response/find-reservation.ts'
import { documentResponse } from '../response/objects.ts'
import { userNow, visibilityOf, visibleTo } from '../response/visibility.ts'
import { respondWithList } from './list-response.ts'
import { momentOf, type Show, withVisible } from './object-reads.ts'
import type { Parts } from './parts.ts'

const INCLUDE =
  'What to add, separated by commas: names adds user_name and sut_name, state adds state and planned_end_time, series adds series_id.'

const INCLUDED = ['names', 'state', 'series'] as const
const NOTHING: ReadonlySet<never> = new Set()

const readQuery = queryOf(
  {
    include: described(wordsOf(...INCLUDED), INCLUDE),
    as_of: asOfParameter,
    wait: described(waitParameter, 'Seconds to wait, 0 by default. Not with as_of.'),
  },
  { rules: [apart(['wait'], 'as_of')] },
)
type ReadCall = Call<unknown, QueryOf<typeof readQuery>>

const HELD = ['held_from', 'held_to'] as const
const ofHeldSpan = wholeSpan(...HELD)

const heldRules: readonly Rule[] = [
  apart(HELD, 'held_at'),
  (given) => (given.has('held_at') ? [] : ofHeldSpan(given)),
  apart(['from', 'to', 'current'], 'held_at', ...HELD),
]

/** Without their states, cancelled reservations would look like others. */
const includeRule: Rule = (given) => {
  const words = given.get('include')?.split(',') ?? []
  return words.includes('cancelled') && !words.includes('state')
    ? [inQuery('include', 'cannot have cancelled without state')]
    : []
}

/** With `current` only reservations that are running; `cancelled` in `include` adds cancelled ones to the list. */
const listQuery = queryOf(
  {
    ...paging,
    include: described(
      wordsOf(...INCLUDED, 'cancelled'),
      `${INCLUDE} With state, cancelled also lists cancelled reservations.`,
    ),
    sut_id: several(opaqueId, 'Only those of these SUTs, up to 100.', SUTS_MAX),
    user_id: ofHolder,
    ...span,
    current: described(onlyTrue, 'Only reservations that are running.'),
    held_at: described(
      instant,
      'Only reservations that held their SUT at this time: from their start, or their creation if that was later, to their real end.',
    ),
    held_from: described(instant, 'With held_to: only reservations that held their SUT in this span.'),
    held_to: described(instant, 'The end of that span (exclusive).'),
    as_of: asOfParameter,
  },
  { rules: [...ofPages, ...heldRules, includeRule] },
)
type ListQuery = QueryOf<typeof listQuery>

/** Translates spans and `current`, as of Unix milliseconds, into bounds on a reservation's times. */
const timesOf = (query: ListQuery, now: number): Partial<RowsQuery> => {
  const { from, to, current = false, held_at, held_from, held_to } = query
  const heldFrom = (held_at ?? held_from)?.instant
  // A moment is the nanosecond that begins with it.
  const heldTo = held_at ? { ...held_at.instant, nanoseconds: held_at.instant.nanoseconds + 1 } : held_to?.instant
  if (heldFrom !== undefined && heldTo !== undefined) {
    const [endsAfter, startsBefore] = [floorSecond(heldFrom), ceilSecond(heldTo)]
    return { endsAfter, startsBefore, heldBefore: ceilMillisecond(heldTo) }
  }
  const second = Math.floor(now / 1000)
  const after = [...(from ? [floorSecond(from.instant)] : []), ...(current ? [second] : [])]
  const before = [...(to ? [ceilSecond(to.instant)] : []), ...(current ? [second + 1] : [])]
  return {
    ...(after.length > 0 && { endsAfter: Math.max(...after) }),
    ...(before.length > 0 && { startsBefore: Math.min(...before) }),
    isHeld: current,
  }
}

/** Refuses to say what will hold a SUT: reservations that are not over may still change. `now` is in Unix milliseconds. */
const refuseFuture = ({ held_at, held_to, as_of }: ListQuery, now: number): E.Either<Refusal, never> | undefined => {
  const [name, latest] = held_at === undefined ? ['held_to', held_to] : ['held_at', held_at]
  if (latest === undefined) return undefined
  if (isLater(latest.instant, instantAt(now))) return refuseParameter(name, 'is in the future')
  const isAfterAsOf = as_of !== undefined && 'instant' in as_of && isLater(latest.instant, as_of.instant)
  return isAfterAsOf ? refuseParameter(name, 'is later than as_of') : undefined
}

/** The columns of what is added, in CSV. */
const COLUMNS: Readonly<Record<(typeof INCLUDED)[number], readonly string[]>> = {
  names: ['user_name', 'sut_name'],
  state: ['state', 'planned_end_time'],
  series: ['series_id'],
}

/** Adds what `include` names to the document of a reservation, as of `now` in Unix milliseconds. */
const withMembers = (
  document: string,
  { ended, internal, sutName: sut_name }: ReservationDetails,
  include: ReadonlySet<string>,
  now: number,
  nameOf: Parts['nameOf'],
): string => {
  const reservation = JSON.parse(document) as Reservation
  const { planned_end, series_id = null, ...window } = JSON.parse(internal) as ReservationInternal
  return JSON.stringify({
    ...reservation,
    // The name of a SUT outside the scope of the user is null.
    ...(include.has('names') && { user_name: nameOf(reservation.user_id), sut_name }),
    ...(include.has('state') && {
      ...{ state: reservationStateOf(ended, window, now), planned_end_time: planned_end ?? reservation.end_time },
    }),
    ...(include.has('series') && { series_id }),
  })
}

const list = (parts: Parts, call: Call<unknown, ListQuery>) =>
  respondWithList(parts, call, ['reservation', 'reservations', 'sut_reservations'], async () => {
    const { nameOf, clock } = parts
    const { query, user } = call
    const { sut_id: sut_ids, user_id, include = NOTHING, held_at, held_to } = query
    const refused = refuseFuture(query, clock())
    if (refused !== undefined) return refused
    // With as_of, `current` means running at that time, and a state is that of then.
    const moment = await momentOf(parts, call)
    if (E.isLeft(moment)) return moment
    const { asOf, now } = moment.right
    return E.right({
      query: {
        ...{ sut_ids, user_id, visibility: visibilityOf(user), ...timesOf(query, now), asOf },
        withDetails: include.size > 0,
        // What was cancelled never held its SUT.
        withCancelled: include.has('cancelled') && held_at === undefined && held_to === undefined,
      },
      columns: [...CSV_COLUMNS.reservation, ...INCLUDED.flatMap((name) => (include.has(name) ? COLUMNS[name] : []))],
      show: (document, details) => (details ? withMembers(document, details, include, now, nameOf) : document),
    })
  })

const show: Show<Parts, ReadCall> = async (parts, { query, user }, version, now) => {
  const { include = NOTHING, as_of } = query
  const response = documentResponse('reservation', version, false, as_of === undefined ? now : undefined)
  if (include.size === 0) return E.right(response)
  const { document } = version
  const { sut_id } = JSON.parse(document) as Reservation
  const sut = await visibleTo(parts, user).newest('sut', sut_id)
  if (E.isLeft(sut)) return sut
  const sutName = sut.right === undefined ? null : (JSON.parse(sut.right.document) as Sut).name
  return E.right({ ...response, body: withMembers(document, { ...version, sutName }, include, now, parts.nameOf) })
}

/** Shows what a read is about, at once or when it has changed. */
const showWhenDue: Show<Parts, ReadCall> = async (parts, call, version, now) => {
  const { users, endings } = parts
  const { user, query } = call
  const { ended, document } = version
  // Only a read that waits needs the end. Parsing it would cost any other a twentieth of its time.
  const { wait = 0 } = query
  const isWaiting = wait > 0 && ended === null
  const left = isWaiting ? epochSecondsOf((JSON.parse(document) as Reservation).end_time) * 1000 - now : 0
  if (left > 0) {
    await endings.wait('reservation', version, Math.min(wait * 1000, left), call.request.signal)
    const reader = userNow(users, user)
    return E.isLeft(reader) ? reader : read(parts, { ...call, user: reader.right, query: { ...query, wait: 0 } })
  }
  if (ended === 'cancelled') {
    const over = await explainOver(parts, version.id, user)
    return E.left({ ...over, detail: `${over.detail} Its history remains available.` })
  }
  return show(parts, call, version, now)
}
const read = withVisible('reservation', showWhenDue)

/** Reads of a document or list, also as of the past. */
const asOfRead = { roles: everyone, parameterRoles: asOfRoles } as const

export const reservationReads: readonly Route<Parts>[] = [
  get('/api/sut_reservation', {
    id: 'listReservations',
    summary: 'List reservations, newest created first',
    ...asOfRead,
    otherMediaTypes: [CSV],
    query: listQuery,
    answer: refTo('ReservationList'),
    refusals: ['list_too_large', 'store_full'],
    handler: list,
  }),
  get('/api/sut_reservation/:id', {
    id: 'readReservation',
    summary: 'Read a reservation, or wait until it changes or is over',
    guide: 'reservations.md#read',
    description:
      'With wait, it is answered when the reservation changes, when it is over or cancelled, or after that time. Signs of life change nothing.',
    ...asOfRead,
    query: readQuery,
    answer: refTo('Reservation'),
    isKept: true,
    refusals: ['reservation_not_found', 'reservation_cancelled', 'store_full'],
    handler: read,
  }),
]

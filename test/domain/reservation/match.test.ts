import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Offer } from '../../../src/domain/matching/candidates.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { Match, RefuseOffer } from '../../../src/domain/reservation/match.ts'
import { makeId } from '../../../src/domain/values/ids.ts'
import {
  alice,
  bob,
  clock,
  createReservation,
  explicit,
  idOf,
  reservationCreated,
  reservationOfferRefused,
  SUT_ID,
  sutCreated,
  sutRetired,
  sutUpdated,
} from '../builders.ts'
import { at, decided, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)

const created = at('05:00', sutCreated({ tags: { rack: '4' } }))
const criteria = { os: ['WINDOWS'], tags: { rack: '4' } }
const NOW = '05:10'
const offerId = makeId(clock(NOW), '0123456789abcdef')
const window = { start: clock('06:00') / 1000, end: clock('07:00') / 1000, startOffset: 0, endOffset: 0 }
const offer: Offer = {
  ...{ ...window, duration: 1_800, time: clock(NOW) },
  ...{ user_id: alice, sut_id: SUT_ID, sut_reservation_id: offerId },
}

const create = (match: Partial<Match> = {}, start = '06:00', end = '07:00') =>
  createReservation(explicit(start, end), { match: { criteria, holderScope: undefined, ...match } })

test('a SUT that fits is reserved, and the criteria are recorded', (t) => {
  const event = decided(given(created).when(create(), NOW))
  t.like(event, { type: 'ReservationCreated', data: { match: criteria, sut_id: SUT_ID } })
})

test('a SUT that does not fit any more, or is not free, is only passed over', (t) => {
  const pasts = [
    [created, at('05:01', sutUpdated({ os: 'linux' }))],
    [created, at('05:01', sutUpdated({ tags: { rack: null } }))],
    [created, at('05:01', sutUpdated({ is_active: false }))],
    [created, at('05:01', sutRetired())],
    [created, at('05:01', reservationCreated(idOf(1), '06:30', '07:00', bob))],
  ]
  for (const past of pasts) t.is(refusal(given(...past).when(create(), NOW)).code, 'no_sut_free')
  t.is(refusal(given(created).when(create({ holderScope: { rack: '5' } }), NOW)).code, 'no_sut_free')
  t.is(refusal(given().when(create(), NOW)).code, 'sut_not_found')
})

test('an offer is taken up with its id, and counts what was asked for', (t) => {
  t.like(decided(given(created).when(create({ offer }), NOW)), { data: { _id: offerId, counted: 2 } })
})

test('an offer cannot be taken up once it was refused, or its SUT has events of a later second', (t) => {
  const refused = at(NOW, reservationOfferRefused(offerId))
  t.is(refusal(given(created, refused).when(create({ offer }), NOW)).code, 'no_sut_free')
  const other = at(NOW, reservationOfferRefused(idOf(7)))
  t.true(E.isRight(given(created, other).when(create({ offer }), NOW)))
  t.is(refusal(given(created).when(create({ offer }), '05:10:01')).code, 'no_sut_free')
})

test('an offer is refused once, and not after its reservation was made', (t) => {
  const command: RefuseOffer = {
    type: 'RefuseOffer',
    _id: offerId,
    sut_id: SUT_ID,
    user_id: alice,
  }
  t.deepEqual(given(created).when(command, NOW), records(reservationOfferRefused(offerId)))
  t.deepEqual(given(created, at(NOW, reservationOfferRefused(offerId))).when(command, NOW), records())
  const { type, data } = reservationCreated(offerId, '06:00', '07:00')
  const made = at(NOW, { type, data: { ...data, sut_request_id: idOf(8) } })
  t.deepEqual(given(created, made).when(command, NOW), records())
})

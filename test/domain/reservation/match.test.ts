import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
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
  matchOffered,
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
const { data: offer } = matchOffered(offerId, '06:00', '07:00')

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

test('an offer is taken up with its id and its window', (t) => {
  const event = decided(given(created).when(create({ offer }, '06:00', '06:15'), NOW))
  t.like(event, { data: { _id: offerId, start_time: offer.start_time, end_time: offer.end_time } })
})

test('an offer cannot be taken up once it was refused, or its SUT has events of a later second', (t) => {
  const refused = at(NOW, reservationOfferRefused(offerId))
  t.is(refusal(given(created, refused).when(create({ offer }), NOW)).code, 'no_sut_free')
  const other = at(NOW, reservationOfferRefused(idOf(7)))
  t.true(E.isRight(given(created, other).when(create({ offer }), NOW)))
  t.is(refusal(given(created).when(create({ offer }), '05:10:01')).code, 'no_sut_free')
})

test('an offer is refused once, and not after its reservation was made', (t) => {
  const key = 'a'.repeat(22)
  const command: RefuseOffer = {
    type: 'RefuseOffer',
    _id: offerId,
    sut_id: SUT_ID,
    user_id: alice,
    keys: [`${key}.${key}`],
  }
  t.deepEqual(given(created).when(command, NOW), records(reservationOfferRefused(offerId)))
  t.deepEqual(given(created, at(NOW, reservationOfferRefused(offerId))).when(command, NOW), records())
  const made = at(NOW, reservationCreated(offerId, '06:00', '07:00'), { key: `${key}.${key}` })
  t.deepEqual(given(created, made).when(command, NOW), records())
})

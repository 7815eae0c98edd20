import test from 'ava'
import { bob, reservationOfferRefused, wall } from '../../domain/builders.ts'
import { ANY_SUT, ended, expired, kept, LATER, made, OFFER, offered, REQUEST, requested } from './events-of-requests.ts'
import { BY_SCHEDULE, type Entry, findsLast, MORNING, of, SUT } from './morning.ts'

/** A log that is unlawful after the morning log, and what is found of its last event. */
type Row = readonly [what: string, log: readonly Entry[], expected: RegExp]

const LONGER = { end_time: wall('11:15') }
const refused: Entry = ['06:21', of(reservationOfferRefused(OFFER)), BY_SCHEDULE]
const OFFERS: readonly Row[] = [
  ['a SUT that does not fit', [made(OFFER, { match: { tags: { site: 'B12' } } })], /refused, no_sut_free/],
  [
    'an offer taken up by another user',
    [requested(), offered(), made(OFFER, { sut_request_id: REQUEST, user_id: bob })],
    /not_your_reservation/,
  ],
  ['an offer taken up a second later', [requested(), offered(), made(OFFER, undefined, '06:21:01')], /no_sut_free/],
  ['an offer taken up after it was refused', [requested(), offered(), refused, made()], /no_sut_free/],
  ['another window', [requested(), offered(), made(OFFER, { sut_request_id: REQUEST, ...LONGER })], /another end_time/],
]

const alive = { ...ANY_SUT, keepalive: 60 }
const REQUESTS: readonly Row[] = [
  ['a request with an id that was assigned', [requested(), requested()], /assigned before/],
  ['an offer to nobody', [offered()], /RequestOffered without an effect/],
  ['a second offer while the first is open', [requested(), offered(), offered(LATER)], /without an effect/],
  ['an offer for another user', [requested(), offered(OFFER, '06:21', { user_id: bob })], /another user_id/],
  ['another SUT', [requested({ sut_id: '0'.repeat(24) }), offered()], /without an effect/],
  [
    'a reservation for another request',
    [requested(), offered(), made(OFFER, { sut_request_id: OFFER })],
    /for the req/,
  ],
  ['a reservation that was not offered', [requested(), offered(), made(LATER)], /another _id/],
  [
    'a grant without a reservation',
    [requested(), offered(), ended('RequestGranted')],
    /the reservation \w+ was not made/,
  ],
  ['a closed offer that was taken', [requested(), offered(), made(), ended('RequestOfferClosed')], /was made/],
  ['another offer granted', [requested(), offered(), made(), ended('RequestGranted', LATER)], /without an effect/],
  ['a sign of life too early', [requested(alive), kept('06:20:29')], /RequestKept without an effect/],
  ['an expiry too early', [requested(), expired('06:29')], /without an effect/],
  ['an expiry for a SUT that stands', [requested({ sut_id: SUT }), expired('06:21', 'retired')], /without an effect/],
]

for (const [subject, rows] of Object.entries({ OFFERS, REQUESTS }))
  for (const [what, log, expected] of rows)
    test(`verify finds ${what} (${subject})`, (t) => findsLast(t, expected, [...MORNING, ...log]))

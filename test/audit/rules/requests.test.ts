import test from 'ava'
import { alice, bob, reservationCreated, reservationOfferRefused } from '../../domain/builders.ts'
import { ANY_SUT, ended, expired, kept, LATER, made, OFFER, offered, requested } from './events-of-requests.ts'
import { type Entry, findsLast, MORNING, matched, of, onPort, SUT } from './morning.ts'

/** A log that is unlawful after the morning log, and what is found of its last event. */
type Row = readonly [what: string, log: readonly Entry[], expected: RegExp]

const offer = (_id = OFFER): Entry => ['06:21', matched(_id)]
const refused = (user_id = alice): Entry => ['06:21', of(reservationOfferRefused(OFFER, user_id))]
const byCriteria = made(OFFER, ANY_SUT)
const OFFERS: readonly Row[] = [
  ['a SUT that does not fit', [made(OFFER, { match: { tags: { site: 'B12' } } })], /refused, no_sut_free/],
  ['an offer with an id that was assigned', [offer(), refused(), offer()], /assigned before/],
  [
    'an offer taken up by another user',
    [offer(), ['06:21', onPort(reservationCreated(OFFER, '10:00', '11:00', bob))]],
    /another SUT or user/,
  ],
  ['an offer taken up a second later', [offer(), made(OFFER, ANY_SUT, '06:21:01')], /at another second/],
  ['an offer taken up after it was refused', [offer(), refused(), byCriteria], /which was refused/],
  ['a refusal of what was not offered', [refused()], /is not open/],
  ['a refusal of an offer of another user', [offer(), refused(bob)], /another SUT or user/],
]

const alive = { ...ANY_SUT, keepalive: 60 }
const REQUESTS: readonly Row[] = [
  ['neither a SUT nor criteria', [requested({})], /asks for a SUT and for any, or for neither/],
  ['a wait of more than a week', [requested({ ...ANY_SUT, expires_at: '2030-05-09T06:20:01.000Z' })], /waits until/],
  ['a wait that is over', [requested({ ...ANY_SUT, expires_at: '2030-05-02T06:19:59.000Z' })], /waits until/],
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
  ['a reservation that was not offered', [requested(), offered(), made(LATER)], /was offered another reservation/],
  ['a reservation for no request', [requested(), offered(), made(OFFER, {})], /made for no request and no criteria/],
  ['a grant without a reservation', [requested(), offered(), ended('RequestGranted')], /the offer \w+ is open/],
  ['a closed offer that was taken', [requested(), offered(), made(), ended('RequestOfferClosed')], /is taken/],
  ['another offer granted', [requested(), offered(), made(), ended('RequestGranted', LATER)], /without an effect/],
  ['a sign of life too early', [requested(alive), kept('06:20:29')], /RequestKept without an effect/],
  ['an expiry too early', [requested(), expired('06:29')], /without an effect/],
  ['an expiry for a SUT that stands', [requested({ sut_id: SUT }), expired('06:21', 'retired')], /without an effect/],
]

for (const [subject, rows] of Object.entries({ OFFERS, REQUESTS }))
  for (const [what, log, expected] of rows)
    test(`verify finds ${what} (${subject})`, (t) => findsLast(t, expected, [...MORNING, ...log]))

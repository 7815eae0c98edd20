import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { alice, bob, reservationCreated, reservationOfferRefused, wall } from '../../domain/builders.ts'
import { type Entry, findingsIn, finds, idAt, MORNING, of, onPort, SUT } from '../verify/morning.ts'

/** The rules of requests that wait. The SUT of the morning log is free from 10:00. */

const REQUEST = idAt('06:20', 5)
const [ONE, TWO] = [idAt('06:21', 6), idAt('06:21', 7)]
const LATER = idAt('06:22', 8)
const ANY = { match: { os: 'windows' } }

const requested = (more: object = ANY): Entry => {
  const expires_at = '2030-05-02T06:30:00.000Z'
  const data = { _id: REQUEST, user_id: alice, duration: 3_600, priority: 0, expires_at, ...more }
  return ['06:20', { type: 'ReservationRequested', data } as Event]
}
const ofOffer = (_id: string, more: object = {}) => ({
  ...{ _id: REQUEST, user_id: alice, sut_id: SUT, sut_reservation_id: _id },
  ...more,
})
const offered = (_id = ONE, time = '06:21', more: object = {}): Entry => {
  const window = { start_time: wall('10:00'), end_time: wall('11:00') }
  return [time, { type: 'RequestOffered', data: { ...ofOffer(_id), ...window, ...more } } as Event]
}
const made = (_id = ONE, more: object = { sut_request_id: REQUEST }, time = '06:21'): Entry => {
  const { type, data } = onPort(reservationCreated(_id, '10:00', '11:00'))
  return [time, { type, data: { ...data, ...more } } as Event]
}
const refused = (_id = ONE): Entry => ['06:21', of(reservationOfferRefused(_id)), { actor: 'schedule', role: 'system' }]
const ended = (type: 'RequestGranted' | 'RequestOfferClosed', _id = ONE): Entry => [
  '06:22',
  { type, data: ofOffer(_id) } as Event,
]
const over = (type: 'RequestWithdrawn' | 'RequestExpired', time = '06:31', user_id = alice): Entry => [
  time,
  { type, data: { _id: REQUEST, user_id } },
]
const kept = (time: string): Entry => [time, { type: 'RequestKept', data: { _id: REQUEST, user_id: alice } }]
const forCause = (cause: string, time: string): Entry => [
  time,
  { type: 'RequestExpired', data: { _id: REQUEST, user_id: alice, cause } } as Event,
]
/** To be kept alive each minute. */
const alive = { ...ANY, keepalive: 60 }
const granted = ended('RequestGranted')
const closed = ended('RequestOfferClosed')

test('requests that are granted, withdrawn, expire or wait obey the rules', async (t) => {
  const logs: readonly (readonly Entry[])[] = [
    [requested()],
    [requested({ sut_id: SUT })],
    [requested(), offered()],
    [requested(), offered(), made(), granted],
    [requested(), offered(), refused(), closed, over('RequestExpired')],
    [
      requested(),
      offered(),
      refused(),
      closed,
      offered(LATER, '06:22'),
      made(LATER, undefined, '06:22'),
      ended('RequestGranted', LATER),
    ],
    [requested(), over('RequestWithdrawn')],
    [requested(alive), kept('06:20:31'), kept('06:21:01'), forCause('keepalive', '06:23:01')],
  ]
  for (const log of logs) t.deepEqual(await findingsIn([...MORNING, ...log]), [])
})

const UNLAWFUL: readonly (readonly [what: string, log: readonly Entry[], expected: RegExp])[] = [
  ['neither a SUT nor criteria', [requested({})], /asks for a SUT and for any, or for neither/],
  ['a wait of more than a week', [requested({ ...ANY, expires_at: '2030-05-09T06:20:01.000Z' })], /waits until/],
  ['a wait that is over', [requested({ ...ANY, expires_at: '2030-05-02T06:19:59.000Z' })], /waits until/],
  ['a request with an id that was assigned', [requested(), requested()], /assigned before/],
  ['an offer to nobody', [offered()], /which does not wait/],
  ['an offer to one that was withdrawn', [requested(), over('RequestWithdrawn', '06:20'), offered()], /does not wait/],
  ['an offer after it expired', [requested(), offered(idAt('06:30', 6), '06:30')], /that has expired/],
  ['a second offer while the first is open', [requested(), offered(), offered(TWO)], /was not closed/],
  ['an offer for another user', [requested(), offered(ONE, '06:21', { user_id: bob })], /another user/],
  ['another SUT', [requested({ sut_id: '0'.repeat(24) }), offered()], /another SUT than was asked/],
  [
    'a reservation for another request',
    [requested(), offered(), made(ONE, { sut_request_id: ONE })],
    /for the request/,
  ],
  ['a reservation for no request', [requested(), offered(), made(ONE, {})], /for the request undefined/],
  ['a reservation a second later', [requested(), offered(), made(ONE, undefined, '06:21:01')], /at another second/],
  ['a grant without a reservation', [requested(), offered(), granted], /the offer \w+ is open/],
  ['a grant of what was refused', [requested(), offered(), refused(), granted], /is refused/],
  ['a closed offer that was taken', [requested(), offered(), made(), closed], /is taken/],
  ['a closed offer that was not refused', [requested(), offered(), closed], /is open/],
  ['another offer granted', [requested(), offered(), made(), ended('RequestGranted', TWO)], /which is not open/],
  ['an end with an open offer', [requested(), offered(), over('RequestWithdrawn')], /with the open offer/],
  ['an expiry too early', [requested(), over('RequestExpired', '06:29')], /too early/],
  ['a sign of life that is not needed', [requested(), kept('06:21')], /alive that need not be/],
  ['a sign of life too early', [requested(alive), kept('06:20:29')], /before half of its time/],
  ['another too early', [requested(alive), kept('06:20:31'), kept('06:21')], /before half of its time/],
  ['an end that comes too early', [requested(alive), forCause('keepalive', '06:21:59')], /for twice its keepalive/],
  ['one too early after a sign', [requested(alive), kept('06:20:31'), forCause('keepalive', '06:22:30')], /twice/],
  ['an end of what needs no sign', [requested(), forCause('keepalive', '06:29')], /for twice its keepalive/],
  ['a SUT that is not retired', [requested({ sut_id: SUT }), forCause('retired', '06:21')], /that is not retired/],
  ['any SUT that is retired', [requested(), forCause('retired', '06:21')], /that is not retired/],
  ['a second end', [requested(), over('RequestWithdrawn'), over('RequestExpired')], /does not wait/],
]

test('each broken rule of requests that wait is found', async (t) => {
  for (const [what, log, expected] of UNLAWFUL) {
    t.log(what)
    await finds(t, expected, [...MORNING, ...log])
  }
})

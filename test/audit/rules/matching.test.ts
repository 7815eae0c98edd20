import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { alice, bob, matchOffered, reservationCreated, reservationOfferRefused } from '../../domain/builders.ts'
import { type Entry, findingsIn, finds, idAt, MORNING, of, onPort, updated, write } from '../verify/morning.ts'

/** The rules of requests with criteria. The SUT of the morning log is free from 10:00. */

const [ONE, TWO] = [idAt('06:20', 5), idAt('06:20', 6)]

const offered = (_id = ONE, time = '06:20', user_id = alice): Entry => [
  time,
  of(matchOffered(_id, '10:00', '11:00', user_id)),
]
const refused = (_id = ONE, user_id = alice): Entry => ['06:20', of(reservationOfferRefused(_id, user_id))]
const made = (
  match: Criteria | undefined,
  { id = ONE, end = '11:00', user_id = alice, time = '06:20' } = {},
): Entry => {
  const { type, data } = onPort(reservationCreated(id, '10:00', end, user_id))
  return [time, { type, data: { ...data, ...(match && { match }) } } as Event]
}

const FITTING: readonly Criteria[] = [
  { os: 'WINDOWS', sut_type: ['rdp', 'vnc'], tags: { site: ['b1', 'b12'], gpu: null } },
  { not: { os: 'linux', tags: { site: 'b1' } } },
]

test('offers that are taken up, refused or left open obey the rules', async (t) => {
  const logs: readonly (readonly Entry[])[] = [
    [made(FITTING[0])],
    [made(FITTING[1])],
    [offered()],
    [offered(), made(FITTING[0])],
    [offered(), refused()],
    [offered(), refused(), offered(TWO), made(FITTING[0], { id: TWO })],
  ]
  for (const log of logs) t.deepEqual(await findingsIn([...MORNING, ...log]), [])
})

const UNLAWFUL: readonly (readonly [what: string, log: readonly Entry[], expected: RegExp])[] = [
  ['a SUT with another field', [made({ os: 'linux' })], /refused, no_sut_free/],
  ['a SUT with another tag', [made({ tags: { site: 'B12' } })], /refused, no_sut_free/],
  ['a SUT without a tag', [made({ tags: { gpu: 'l4' } })], /refused, no_sut_free/],
  ['a SUT with a tag that it must not have', [made({ tags: { site: null } })], /refused, no_sut_free/],
  ['a SUT that is excluded', [made({ not: { tags: { site: ['b12'] } } })], /refused, no_sut_free/],
  ['a SUT that does not fit any more', [['06:15', updated({ os: 'linux' })], made(FITTING[0])], /refused, no_sut_free/],
  ['an offer with an id of another second', [offered(idAt('06:19', 5))], /does not begin with its creation second/],
  ['an offer with an id that was assigned', [offered(), refused(), offered()], /assigned before/],
  ['a second offer while the first is open', [offered(), offered(TWO)], /was not refused/],
  ['an offer after a reservation', [offered(), made(FITTING[0]), offered(TWO)], /was taken up/],
  ['an offer taken up without criteria', [offered(), made(undefined)], /not made for criteria/],
  ['an offer taken up with another end', [offered(), made(FITTING[0], { end: '11:15' })], /another end than its offer/],
  ['an offer taken up by another user', [offered(), made(FITTING[0], { user_id: bob })], /another SUT or user/],
  ['an offer taken up a second later', [offered(), made(FITTING[0], { time: '06:20:01' })], /at another second/],
  ['an offer taken up after it was refused', [offered(), refused(), made(FITTING[0])], /which was refused/],
  ['a refusal of what was not offered', [refused()], /is not open/],
  ['a second refusal', [offered(), refused(), refused()], /is not open/],
  ['a refusal of what was taken up', [offered(), made(FITTING[0]), refused()], /is not open/],
  ['a refusal of an offer of another user', [offered(), refused(ONE, bob)], /another SUT or user/],
]

test('each broken rule of requests with criteria is found', async (t) => {
  for (const [what, log, expected] of UNLAWFUL) {
    t.log(what)
    await finds(t, expected, [...MORNING, ...log])
  }
})

test('an offer outside the stream of a key is found', async (t) => {
  const events = write([...MORNING, offered()])
  const stream = 'match-key'
  await finds(t, /does not belong in the stream match-key/, [...MORNING, offered()], () =>
    events.map((event) => (event.type === 'MatchOffered' ? { ...event, stream } : event)),
  )
})

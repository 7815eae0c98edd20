import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../projections/index.ts'
import { reservationProjection } from '../../projections/reservation.ts'
import { retryKeyIds, retryKeyProjection } from '../../projections/retry-key.ts'
import { sutProjection } from '../../projections/sut.ts'
import { EVENT_TYPES, factsOf, type Recorded } from '../../src/domain/event.ts'
import { arbitraryData } from '../domain/arbitrary-events.ts'
import {
  idOf,
  LISTEN_PORT,
  metadata,
  reservationCancelled,
  reservationCreated,
  SUT_ID,
  sutCreated,
  sutCreationAbandoned,
  sutUpdated,
} from '../domain/builders.ts'
import { at } from '../domain/given-when-then.ts'
import { foldedBy } from './given-then.ts'

const sut = foldedBy(sutProjection)
const reservation = foldedBy(reservationProjection)
const retryKey = foldedBy(retryKeyProjection)

const SECRET = 'k'.repeat(22)
const [KEY = ''] = retryKeyIds(SECRET, Date.parse('2030-05-02T06:00:00Z'))
const key = (request: string) => ({ key: `${SECRET}.${request.repeat(22)}` })
const [first, _second] = [idOf(1), idOf(2)]

test('a field that no list makes public stays out of documents, at the creation and by an update', (t) => {
  const later = { console_key: 'write-only' }
  const created = sutCreated()
  const shown = sut(SUT_ID, at('05:58', created)).document
  const secretly = { ...created, data: { ...created.data, ...later } }
  t.deepEqual(sut(SUT_ID, at('05:58', secretly)).document, shown)
  const updated = at('06:00', sutUpdated({ os: 'linux', ...later }))
  const updated_at = '2030-05-02T06:00:00.000+00:00'
  t.deepEqual(sut(SUT_ID, at('05:58', created), updated).document, { ...shown, os: 'linux', updated_at })
})

test('an abandoned creation creates no SUT', (t) => {
  t.throws(() => sut(SUT_ID, at('05:58', sutCreationAbandoned())), { message: /nothing happened/ })
})

test('an event of an object that was never created throws', (t) => {
  t.throws(() => sut(SUT_ID, at('06:00', sutUpdated({ os: 'linux' }))), { message: /SutUpdated came before/ })
  t.throws(() => reservation(first, at('06:00', reservationCancelled(first))), {
    message: /ReservationCancelled came before/,
  })
})

test('an idempotency key maps to the object and revision of the response', (t) => {
  const past = [at('05:58', sutCreated()), at('06:00', reservationCreated(first, '08:00', '09:00'), key('a'))]
  t.deepEqual(retryKey(KEY, ...past).internal, {
    request: 'a'.repeat(22),
    _id: first,
    of: 'reservation',
    revision: 1,
    created: true,
  })
  t.deepEqual(retryKey(KEY, ...past, at('06:01', sutUpdated({ os: 'linux' }), key('b'))).internal, {
    request: 'b'.repeat(22),
    _id: SUT_ID,
    of: 'sut',
    revision: 2,
    created: false,
  })
})

test('the first append of a SUT creation does not complete an idempotency key', (t) => {
  const assigned = { type: 'ListenPortAssigned', data: { listen_port: LISTEN_PORT, sut_id: SUT_ID } } as const
  t.throws(() => retryKey(KEY, at('05:58', assigned, key('a'))), { message: /nothing happened/ })
  t.is(retryKey(KEY, at('05:58', assigned, key('a')), at('05:58', sutCreated(), key('a'))).internal.of, 'sut')
})

test('every event that changes an object makes a version of its document', (t) => {
  for (const type of EVENT_TYPES) {
    const { object, changesNothing = false } = factsOf(type)
    if (object === undefined || changesNothing) continue
    const [data] = fc.sample(arbitraryData[type] as fc.Arbitrary<{ readonly _id: string }>, 1)
    const event = { type, data, metadata: metadata('2030-05-02T05:00:00.000Z') } as unknown as Recorded
    t.true(
      projections.some(({ key }) => key(event) === data?._id),
      type,
    )
  }
})

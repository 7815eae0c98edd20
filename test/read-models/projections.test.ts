import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../projections/index.ts'
import { reservationProjection } from '../../projections/reservation.ts'
import { retryKeyIds, retryKeyProjection } from '../../projections/retry-key.ts'
import { sutProjection } from '../../projections/sut.ts'
import { EVENT_TYPES, factsOf, type Recorded } from '../../src/domain/event.ts'
import { arbitraryData } from '../domain/arbitrary-events.ts'
import {
  bob,
  idOf,
  LISTEN_PORT,
  metadata,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  SUT_ID,
  sutCreated,
  sutCreationAbandoned,
  sutRetired,
  sutUpdated,
  wall,
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

test("the document of a SUT has the API's fields in order, and no secret", (t) => {
  const credentials = { id: idOf(9), changed: ['password'] as const }
  const { document, ended } = sut(
    SUT_ID,
    at('05:58:11.400', sutCreated({ credentials, rdp_width: 800, rdp_height: 600 })),
  )
  t.is(
    JSON.stringify(document),
    JSON.stringify({
      _id: SUT_ID,
      created_at: '2030-05-02T05:58:11.400+00:00',
      updated_at: '2030-05-02T05:58:11.400+00:00',
      name: 'bench 4',
      description: 'An old SUT',
      address: '192.168.9.5',
      port: 5902,
      sut_type: 'vnc',
      is_active: true,
      manufacturer: 'acer',
      model: 'aspire',
      os: 'windows',
      version: 'xp',
      monitoring: {
        status: 'SUT Monitoring Disabled',
        last_updated: '2030-05-02T05:58:11+00:00',
        status_description: 'SUT Monitoring is disabled',
      },
      tags: {},
    }),
  )
  t.is(ended, null)
})

test('new credentials or a new screen size change only updated_at', (t) => {
  const created = at('05:58', sutCreated())
  const before = sut(SUT_ID, created).document
  const hidden = sutUpdated({ credentials: { id: idOf(9), changed: ['user_name'] }, rdp_width: 1024 })
  t.deepEqual(sut(SUT_ID, created, at('06:00', hidden)).document, {
    ...before,
    updated_at: '2030-05-02T06:00:00.000+00:00',
  })
})

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

test('tags are merged and sorted by name, and null removes one', (t) => {
  const created = at('05:58', sutCreated())
  const tagged = at('06:00', sutUpdated({ tags: { rack: '4', lab: 'north' } }))
  const again = at('06:01', sutUpdated({ tags: { rack: null, owner: 'bob' } }))
  t.is(JSON.stringify(sut(SUT_ID, created, tagged).document.tags), '{"lab":"north","rack":"4"}')
  t.is(JSON.stringify(sut(SUT_ID, created, tagged, again).document.tags), '{"lab":"north","owner":"bob"}')
})

test('a retired SUT has ended and can still be read', (t) => {
  const { document, ended } = sut(SUT_ID, at('05:58', sutCreated()), at('06:00', sutRetired()))
  t.is(ended, 'retired')
  t.is(document.updated_at, '2030-05-02T06:00:00.000+00:00')
})

test('an abandoned creation creates no SUT', (t) => {
  t.throws(() => sut(SUT_ID, at('05:58', sutCreationAbandoned())), { message: /nothing happened/ })
})

test("the document of a reservation has the API's fields in order", (t) => {
  const created = reservationCreated(first, wall('08:00', '+02:00'), wall('08:15', '+02:00'), bob)
  const { document, ended } = reservation(first, at('05:58:11.400', created))
  t.is(
    JSON.stringify(document),
    JSON.stringify({
      _id: first,
      created_at: '2030-05-02T05:58:11.400Z',
      updated_at: '2030-05-02T05:58:11.400Z',
      start_time: '2030-05-02T08:00:00+02:00',
      end_time: '2030-05-02T08:15:00+02:00',
      user_id: bob,
      sut_id: SUT_ID,
      listen_port: LISTEN_PORT,
    }),
  )
  t.is(ended, null)
})

const created = at('05:58', reservationCreated(first, '08:00', '09:00'))
const made = reservation(first, created).document
const moved = { ...made, updated_at: '2030-05-02T08:30:00.000Z' }

test('a released reservation ends at its release', (t) => {
  const released = at('08:30', reservationReleased(first, wall('08:31')))
  t.like(reservation(first, created, released), {
    document: { ...moved, end_time: wall('08:31') },
    internal: { planned_end: wall('09:00') },
    ended: 'released',
  })
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

test('an event without an idempotency key records none', (t) => {
  t.throws(() => retryKey(KEY, at('05:58', sutCreated())), { message: /nothing happened/ })
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

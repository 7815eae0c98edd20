import test from 'ava'
import fc from 'fast-check'
import type { Event, EventType } from '../../../src/domain/event.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { makeEventId, sutStream } from '../../../src/domain/values/ids.ts'
import { arbitraryData } from '../../domain/arbitrary-events.ts'
import {
  bob,
  clock,
  reservationBound,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  reservationUnbound,
  wall,
} from '../../domain/builders.ts'
import { rounds } from '../../thorough.ts'
import {
  abandoned,
  assigned,
  BEGINNING,
  created,
  type Entry,
  FIRST,
  findingsIn,
  finds,
  idAt,
  KEY,
  MORNING,
  made,
  of,
  onPort,
  PORT,
  released,
  retired,
  SUT,
  updated,
  verify,
  type Written,
  write,
} from '../verify/morning.ts'
import { CLIENT, INVALID, inactive, SESSIONS } from './unlawful.ts'
import { INVALID_TOKENS, TOKENS } from './unlawful-tokens.ts'
import { INVALID_USERS, USERS } from './unlawful-users.ts'

test('a valid log has no findings, however its reservations end', async (t) => {
  const ends: readonly (readonly Entry[])[] = [
    [],
    [['06:30', of(reservationReleased(FIRST, wall('06:30')))], made('06:30', 3, '06:30', '08:00')],
    [['07:00', of(reservationCancelled(idAt('05:21', 2), bob))], made('07:00', 3, '08:00', '08:15')],
    [
      ['10:00', retired],
      ['10:00', released],
      ['10:01', { ...assigned, data: { listen_port: PORT, sut_id: idAt('10:01', 9) } } as Event],
    ],
  ]
  for (const end of ends) t.deepEqual(await findingsIn([...MORNING, ...end]), [])
  t.deepEqual(
    await findingsIn([
      ['05:00', assigned],
      ['05:02', abandoned],
      ['05:02', released],
    ]),
    [],
  )
})

for (const [what, entry, expected] of [...INVALID, ...INVALID_USERS, ...INVALID_TOKENS]) {
  test(`${what} is found at its position`, async (t) => {
    const log = [...MORNING, ...SESSIONS, ...USERS, ...TOKENS, entry]
    const found = await findingsIn(log)
    t.true(
      found.some((each) => expected.test(each) && each.startsWith(`${log.length - 1}: `)),
      found.join('\n') || 'nothing was found',
    )
    // Most break only one rule.
    t.true(found.length <= 3, found.join('\n'))
  })
}

test('a binding ends once, whether a creation or an update made it, and not what another user made', async (t) => {
  const at = { client: CLIENT }
  const ofAlice = onPort(reservationCreated(idAt('06:20', 3), '10:00', '10:15'))
  const third = idAt('06:20', 3)
  const unbound = (time: string): Entry => [time, of(reservationUnbound(third))]
  const ours: readonly Entry[] = [...MORNING, ['06:20', ofAlice, at], unbound('06:21')]
  t.deepEqual(await findingsIn(ours), [])
  await finds(t, /ReservationUnbound without an effect/, [...ours, unbound('06:22')])
  const again: readonly Entry[] = [...ours, ['06:22', of(reservationBound(third)), at], unbound('06:23')]
  t.deepEqual(await findingsIn(again), [])
  const byAnother = { ...at, actor: bob, role: 'administrator' } as const
  await finds(t, /ReservationUnbound without an effect/, [...MORNING, ['06:20', ofAlice, byAnother], unbound('06:21')])
})

test('an event that an inactive, retired or abandoned SUT cannot have is found', async (t) => {
  await finds(t, /refused, sut_inactive/, [...BEGINNING, inactive, made('05:20', 1, '06:00', '07:00')])
  await finds(t, /refused, sut_inactive/, [
    ...MORNING,
    ['06:15', updated({ is_active: false })],
    ['06:20', of(reservationExtended(FIRST, wall('08:00')))],
  ])
  const gone: readonly Entry[] = [...MORNING, ['10:00', retired]]
  await finds(t, /refused, sut_retired/, [...gone, made('10:01', 4, '11:00', '12:00')])
  await finds(t, /refused, sut_retired/, [...gone, ['10:01', updated({ os: 'linux' })]])
  await finds(t, /SutRetired without an effect/, [...gone, ['10:01', retired]])
  await finds(t, /SutCreated without an effect/, [
    ['05:00', assigned],
    ['05:00', abandoned],
    ['05:00', created],
  ])
})

test('a SUT whose port is missing, different, or assigned at a different time is found', async (t) => {
  await finds(t, /a SUT without a listen_port/, [['05:00', created]])
  await finds(t, /a SUT without a listen_port/, [['05:00', abandoned]])
  await finds(t, /the SUT was assigned 20017/, [
    ['05:00', assigned],
    ['05:00', { ...created, data: { ...created.data, listen_port: 1 } } as Event],
  ])
  await finds(t, /a different time than the assignment/, [
    ['05:00', assigned],
    ['05:01', created],
  ])
})

test('an idempotency key may recur after a day, or after its creation was abandoned', async (t) => {
  const later: Entry = ['2030-05-03T05:10:00Z', updated({ os: 'linux' }), { key: KEY }]
  t.deepEqual(await findingsIn([...BEGINNING, later]), [])
  const again: Event = { ...assigned, data: { listen_port: 1, sut_id: idAt('05:03', 1) } } as Event
  const once: readonly Entry[] = [['05:00', assigned, { key: KEY }]]
  t.deepEqual(
    await findingsIn([...once, ['05:02', abandoned], ['05:02', released], ['05:03', again, { key: KEY }]]),
    [],
  )
  await finds(t, /idempotency key/, [...once, ['05:03', again, { key: KEY }]])
})

test('a gap in a stream is found, and later events of the stream are not checked by the rules', async (t) => {
  await finds(t, /^3: the event has the revision 3, after 1 in its stream/, MORNING, (events) => events.toSpliced(3, 1))
  await finds(t, /^1: the event is the first event of its stream but has the revision 1/, MORNING, (events) =>
    events.toSpliced(1, 1),
  )
})

test('an event in the wrong stream is found', async (t) => {
  const stream = sutStream(idAt('05:00', 5))
  await finds(t, /does not belong in the stream/, [...MORNING, ['06:20', updated({ os: 'linux' })]], (events) =>
    events.with(-1, { ...events.at(-1), stream, revision: 0 }),
  )
})

test('a reused reservation id is found', async (t) => {
  const again = made('06:20', 3, '11:00', '11:15')
  await finds(t, /assigns an id that was assigned before/, [...MORNING, made('06:20', 3, '10:00', '10:15'), again])
})

test('an event id that is malformed, duplicate or inconsistent with its time is found', async (t) => {
  const change = (id: (events: readonly Written[]) => unknown) => (events: readonly Written[]) =>
    events.with(-1, { ...events.at(-1), id: id(events) })
  await finds(
    t,
    /has the id of an earlier event/,
    [
      ['05:00', assigned],
      ['05:00', created],
    ],
    change((events) => events[0]?.id),
  )
  const late = makeEventId(clock('06:11'), '9'.repeat(20))
  await finds(
    t,
    /does not begin with its time/,
    MORNING,
    change(() => late),
  )
  await finds(
    t,
    /not a UUID of version 7/,
    MORNING,
    change((events) => String(events.at(-1)?.id).replace('-7', '-4')),
  )
  await finds(
    t,
    /not a UUID of version 7/,
    MORNING,
    change((events) => String(events.at(-1)?.id).toUpperCase().replace(/\d$/, 'G')),
  )
})

test('events that are unreadable or not in canonical form are found', async (t) => {
  const texts = write(MORNING).map(canonicalJson)
  const found = async (text: string) => (await verify(texts.with(-1, text))).findings.map(({ what }) => what)
  const last = texts.at(-1) as string
  t.deepEqual(await found(last), [])
  t.deepEqual(await found(last.replace('{"data"', '{ "data"')), ['the event is not in canonical form'])
  t.deepEqual(await found(last.replace('"id"', '"\\u0069d"')), ['the event is not in canonical form'])
  t.regex((await found(last.replace('"schema":1', '"schema":2'))).join(), /cannot be read: .* newer version/)
  t.regex((await found(last.replace('Extended', 'Stretched'))).join(), /cannot be read: .*type/)
  t.regex((await found(last.slice(1))).join(), /cannot be read: /)
})

test('property: whatever is recorded of a SUT, and in whatever order, gives findings and no failure', async (t) => {
  const types = Object.keys(arbitraryData).filter((type) => /^(?:Sut(?!Went)|Reservation(?!Requested))/.test(type))
  const event = fc.constantFrom(...(types as EventType[])).chain((type) =>
    fc
      .tuple(arbitraryData[type] as fc.Arbitrary<object>, fc.constantFrom(FIRST, idAt('05:21', 2)))
      .map(([data, _id]) => {
        const ofSut = type.startsWith('Sut') ? { _id: SUT } : { _id, sut_id: SUT }
        return of({ type, data: { ...data, ...ofSut } } as Event)
      }),
  )
  const property = fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
    const log = events.map((each, n): Entry => [`06:${String(20 + n).padStart(2, '0')}`, each])
    await findingsIn([...MORNING, ...log])
  })
  await t.notThrowsAsync(fc.assert(property, { numRuns: rounds(100, 2_000) }))
})

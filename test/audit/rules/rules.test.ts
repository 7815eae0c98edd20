import test from 'ava'
import fc from 'fast-check'
import type { Event, EventType } from '../../../src/domain/event.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { makeEventId, sutStream } from '../../../src/domain/values/ids.ts'
import { arbitraryData } from '../../domain/arbitrary-events.ts'
import { clock } from '../../domain/builders.ts'
import { rounds } from '../../thorough.ts'
import {
  abandoned,
  assigned,
  created,
  type Entry,
  FIRST,
  findingsIn,
  finds,
  MORNING,
  ONE,
  of,
  online,
  openedSession,
  SECOND,
  SUT,
  updated,
  verify,
  type Written,
  write,
} from './morning.ts'

test('a SUT whose port is missing or another is found', async (t) => {
  await finds(t, /SutCreated without an effect/, [
    ['05:00', assigned],
    ['05:00', abandoned],
    ['05:00', created],
  ])
  await finds(t, /a SUT without a listen_port/, [['05:00', created]])
  await finds(t, /the SUT was assigned 20017/, [
    ['05:00', assigned],
    ['05:00', { ...created, data: { ...created.data, listen_port: 1 } } as Event],
  ])
})

test('a probe of a SUT that does not exist is found', (t) =>
  finds(t, /is about the SUT .* which does not exist/, [
    ['05:00', assigned],
    ['05:01', online, ONE],
  ]))

test('a gap in a stream is found, and later events of the stream are not checked by the rules', async (t) => {
  await finds(t, /^3: the event has the revision 3, after 1 in its stream/, MORNING, (events) => events.toSpliced(3, 1))
  await finds(t, /^1: the event is the first event of its stream but has the revision 1/, MORNING, (events) =>
    events.toSpliced(1, 1),
  )
})

test('an event in the wrong stream is found', async (t) => {
  const stream = sutStream('0'.repeat(24))
  await finds(t, /does not belong in the stream/, [...MORNING, ['06:20', updated({ os: 'linux' })]], (events) =>
    events.with(-1, { ...events.at(-1), stream, revision: 0 }),
  )
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
    fc.tuple(arbitraryData[type] as fc.Arbitrary<object>, fc.constantFrom(FIRST, SECOND)).map(([data, _id]) => {
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

test('what is said of the reservations of a damaged stream is not held against sessions', async (t) => {
  const found = await findingsIn([...MORNING, ['06:15', openedSession(2, '06:15')]], (events) =>
    events.filter(({ type }) => type !== 'ReservationCreated'),
  )
  t.false(found.some((what) => what.includes('which does not exist')))
})

import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { EVENT_TYPES, type EventType, type NewEvent, type Recorded, schemaVersion } from '../../src/domain/event.ts'
import { makeEventId, sutStream } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { decodeEvent, encodeEvent, leafHash, UndecodableEvent } from '../../src/event-store/stored-event.ts'
import { arbitraryData, arbitraryMetadata } from '../domain/arbitrary-events.ts'

/** One example of every shape ever written; only ever extended. Another program computed the hashes. */
const EXAMPLES = readFileSync(new URL('./recorded-events.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly leaf: string; readonly stored: string })

const ofType = (type: EventType): readonly Recorded[] =>
  EXAMPLES.map(({ stored }) => decodeEvent(stored, toStorePosition(0))).filter((event) => event.type === type)

for (const [index, { leaf, stored }] of EXAMPLES.entries()) {
  const { stream, revision, type } = JSON.parse(stored)
  test(`${type} at ${stream}@${revision} is decoded and encoded again to the same bytes and hash`, (t) => {
    const { storePosition, ...event } = decodeEvent(stored, toStorePosition(index))
    t.is(storePosition, toStorePosition(index))
    t.deepEqual(event, JSON.parse(stored))
    t.is(encodeEvent(stream, revision, event), stored)
    t.is(leafHash(stored).toString('hex'), leaf)
  })
}

/** The members that some or all values have. */
const membersIn = (
  values: readonly object[],
): { readonly all: readonly string[]; readonly always: readonly string[] } => {
  const names = values.map((value) => new Set(Object.keys(value)))
  return {
    all: [...names.reduce((a, b) => a.union(b))].sort(),
    always: [...names.reduce((a, b) => a.intersection(b))].sort(),
  }
}

/** The members that some values have, and those of what they list. */
const allMembersIn = (values: readonly object[]): ReadonlySet<string> =>
  new Set(
    values.flatMap((value) =>
      Object.entries(value).flatMap(([name, member]) => {
        const listed = Array.isArray(member) ? member.filter((one) => typeof one === 'object') : []
        return [name, ...[...allMembersIn(listed)].map((inner) => `${name}/${inner}`)]
      }),
    ),
  )

/** Shapes whose members took other values: `match` has null. */
const WIDENED: readonly EventType[] = ['ReservationRequested']

test('a shape that has gained a member has another version', (t) => {
  for (const type of EVENT_TYPES) {
    const first = ofType(type).filter(({ metadata }) => metadata.schema === 1)
    const known = allMembersIn(first.map(({ data }) => data))
    const samples = fc.sample<object>(arbitraryData[type], { numRuns: 200, seed: 590780 })
    const gained = [...allMembersIn(samples).difference(known)]
    t.is(
      schemaVersion(type) > 1,
      gained.length > 0 || WIDENED.includes(type),
      `${type} has gained ${gained.join(', ')}`,
    )
  }
})

for (const type of EVENT_TYPES) {
  test(`there are examples of ${type} with and without each optional member`, (t) => {
    const samples = fc.sample<object>(arbitraryData[type], { numRuns: 200, seed: 590780 })
    t.deepEqual(membersIn(ofType(type).map(({ data }) => data)), membersIn(samples))
  })
}

test('there are examples of metadata with and without each optional member', (t) => {
  const samples = fc.sample(arbitraryMetadata(), { numRuns: 200, seed: 590780 })
  const metadata = EXAMPLES.map(({ stored }) => decodeEvent(stored, toStorePosition(0)).metadata)
  t.deepEqual(membersIn(metadata), membersIn(samples))
})

test('there are examples of tags set and removed, and of changing either secret or both', (t) => {
  const updates = ofType('SutUpdated').map(({ data }) => data as { tags?: object; credentials?: { changed: string[] } })
  t.true(updates.some(({ tags }) => Object.values(tags ?? {}).includes(null)))
  const created = ofType('SutCreated').map(({ data }) => data as (typeof updates)[number])
  const changed = [...updates, ...created].flatMap(({ credentials }) => credentials?.changed.join() ?? [])
  t.deepEqual([...new Set(changed)].sort(), ['password', 'password,user_name', 'user_name'])
})

const arbitraryEvent = fc
  .constantFrom(...EVENT_TYPES)
  .chain((type) => fc.record({ type: fc.constant(type), data: arbitraryData[type], metadata: arbitraryMetadata() }))

test('any event is decoded as it was encoded', (t) => {
  const property = fc.property(arbitraryEvent, fc.nat(), fc.nat(), (event, revision, n) => {
    const storePosition = toStorePosition(n)
    const metadata = { ...event.metadata, schema: schemaVersion(event.type) }
    const given = { ...event, metadata, id: makeEventId(revision, '0123456789abcdef0123') } as NewEvent
    const stream = sutStream('58c38f5d444553252cce0000')
    const stored = encodeEvent(stream, revision, given)
    t.deepEqual(decodeEvent(stored, storePosition), {
      ...given,
      stream,
      revision,
      storePosition,
    } as Recorded)
  })
  fc.assert(property, { numRuns: 200 })
})

const STREAM = 'sut-58c38f5d444553252cce0000'
const example = (): Record<string, unknown> & Record<'data' | 'metadata', Record<string, unknown>> => ({
  stream: STREAM,
  revision: 7,
  id: '015bc7b6-0001-7abc-8def-0123456789ab',
  type: 'SutRetired',
  data: { _id: '58c38f5d444553252cce0000', listen_port: 20000 },
  metadata: { actor: 'berth', role: 'system', request_id: 'r', time: '2017-05-02T05:58:11.400Z', schema: 1 },
})

type Spoil = (event: ReturnType<typeof example>) => unknown

const SPOILT: Readonly<Record<string, readonly [Spoil, ...places: string[]]>> = {
  'an unknown member of the envelope': [(event) => Object.assign(event, { colour: 'red' }), '/colour'],
  'an unknown member of the data': [({ data }) => Object.assign(data, { colour: 1 }), '/data/colour'],
  'an unknown member of the metadata': [({ metadata }) => Object.assign(metadata, { ip: '' }), '/metadata/ip'],
  'a missing member': [({ data }) => delete data.listen_port, '/data/listen_port'],
  'a value of the wrong type': [({ data }) => Object.assign(data, { listen_port: '20000' }), '/data/listen_port'],
  'data that is not an object': [(event) => Object.assign(event, { data: [] }), '/data'],
  'an unknown event type': [(event) => Object.assign(event, { type: 'SutPainted' }), '/type'],
  'an event type like a member of objects': [(event) => Object.assign(event, { type: 'toString' }), '/type'],
  'a newer schema': [({ metadata }) => Object.assign(metadata, { schema: 2 }), '/metadata/schema'],
  'a schema that is not a number': [({ metadata }) => Object.assign(metadata, { schema: null }), '/metadata/schema'],
  'several wrong members, all at once,': [
    ({ data }) => Object.assign(data, { _id: 7, listen_port: 0 }),
    '/data/_id',
    '/data/listen_port',
  ],
}

for (const [what, [spoil, ...places]] of Object.entries(SPOILT)) {
  test(`${what} is refused by its place`, (t) => {
    const event = example()
    spoil(event)
    const decode = () => decodeEvent(JSON.stringify(event), toStorePosition(0))
    const { message } = t.throws(decode, { instanceOf: UndecodableEvent })
    t.true(message.startsWith(`${STREAM}@7: /`), message)
    const problems = message.replace(`${STREAM}@7: `, '').split('; ')
    t.deepEqual(
      problems.map((problem) => problem.split(': ')[0]),
      places,
    )
    for (const problem of problems) t.regex(problem, /^[^ ]+: .{5,}$/)
  })
}

test('text that is not JSON is refused with its position', (t) => {
  for (const stored of ['', '{', 'null', '7']) {
    t.throws(() => decodeEvent(stored, toStorePosition(41)), { instanceOf: UndecodableEvent })
  }
  t.throws(() => decodeEvent('{"a":', toStorePosition(41)), { message: /^store position 41: \/: / })
})

import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { MISSING_MEMBER, pathOf, UNKNOWN_MEMBER } from '../../src/domain/codec/object-codec.ts'
import { EVENT_TYPES, type EventType, eventDeclarations, Metadata } from '../../src/domain/event.ts'
import { SCOPE_MAX } from '../../src/domain/events/user.ts'
import { arbitraryData, arbitraryMetadata } from './arbitrary-events.ts'

const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const problemsOf = (read: t.Validation<unknown>): readonly string[] =>
  E.isRight(read) ? [] : read.left.map((error) => `${pathOf(error).join('/')}: ${error.message}`)

const codecs: readonly (readonly [string, t.Type<unknown>, fc.Arbitrary<object>])[] = [
  ...Object.entries(eventDeclarations).map(
    ([type, { data }]) => [type, data as t.Type<unknown>, arbitraryData[type as EventType]] as const,
  ),
  ['Metadata', Metadata as t.Type<unknown>, arbitraryMetadata()],
]

for (const [name, codec, arbitrary] of codecs) {
  test(`property: ${name} is decoded as it was encoded`, (t) => {
    const property = fc.property(arbitrary, (data) => {
      t.deepEqual(codec.decode(written(codec.encode(data))), E.right(data))
    })
    fc.assert(property, { numRuns: 50 })
  })

  test(`property: ${name} with an unknown member is refused`, (t) => {
    const property = fc.property(arbitrary, fc.constantFrom('colour', 'constructor', '__proto__'), (data, member) => {
      const more = JSON.parse(`{"${member}":1,${JSON.stringify(data).slice(1)}`)
      t.deepEqual(problemsOf(codec.decode(more)), [`${member}: ${UNKNOWN_MEMBER}`])
    })
    fc.assert(property, { numRuns: 20 })
  })
}

/** The members present in all samples. */
const required = (arbitrary: fc.Arbitrary<object>): readonly string[] => {
  const samples = fc.sample(arbitrary, { numRuns: 200, seed: 590780 }).map((data) => new Set(Object.keys(data)))
  return [...samples.reduce((a, b) => a.intersection(b))]
}
for (const [name, codec, arbitrary] of codecs) {
  test(`${name} without any of its required members is refused, naming the missing ones`, (t) => {
    const names = required(arbitrary)
    t.deepEqual(new Set(problemsOf(codec.decode({}))), new Set(names.map((member) => `${member}: ${MISSING_MEMBER}`)))
    const [data] = fc.sample(arbitrary, { numRuns: 1, seed: 590780 })
    for (const member of names) {
      const { [member]: _, ...rest } = data as Record<string, unknown>
      t.deepEqual(problemsOf(codec.decode(rest)), [`${member}: ${MISSING_MEMBER}`])
    }
  })
}

test('every event type is tested here', (t) => {
  t.deepEqual(Object.keys(arbitraryData).sort(), EVENT_TYPES.toSorted())
})

const refusedMembers: readonly (readonly [EventType, string, unknown])[] = [
  ['SutCreated', '_id', '58C38F5D444553252CCE0000'],
  ['SutCreated', '_id', '58c38f5d444553252cce000'],
  ['SutCreated', 'listen_port', 0],
  ['SutUpdated', 'rdp_width', 16385],
  ['SutUpdated', 'tags', ['x']],
  ['ReservationCreated', 'start_time', '2030-05-02T06:00:00Z'],
  ['ReservationCreated', 'start_time', '2030-05-02T06:00:00.000+00:00'],
  ['ReservationCreated', 'user_id', 'a/b'],
  ['ReservationExtended', 'end_time', 1903932000],
  ['ReservationShortened', 'end_time', 1903932000],
  ['ListenPortAssigned', 'sut_id', ''],
  ['UserAdded', '_id', 'a/b'],
  ['UserChanged', 'role', 'system'],
  ['UserChanged', 'scope', 'a'.repeat(SCOPE_MAX + 1)],
  ['UserRemoved', 'reservations', 'move'],
  ['TokenIssued', 'hash', 'A'.repeat(64)],
  ['TokenIssued', 'hash', 'a'.repeat(63)],
  ['TokenIssued', 'role', 'system'],
  ['TokenIssued', 'token_scope', 'everything'],
  ['TokenIssued', 'expires_at', '2030-05-02T06:00:00Z'],
  ['TokenRevoked', 'user_id', 'a/b'],
  ['TokenRevoked', 'session_until', '2030-05-02T06:00:00Z'],
]
for (const [type, member, value] of refusedMembers) {
  const shown = JSON.stringify(value)
  test(`${type} is refused with ${shown.slice(0, 80)} for ${member}`, (t) => {
    const [data] = fc.sample<object>(arbitraryData[type], { numRuns: 1, seed: 590780 })
    const problems = problemsOf(eventDeclarations[type].data.decode({ ...data, [member]: value }))
    t.is(problems.length, 1)
    t.true(problems[0]?.startsWith(`${member}: must be`), problems[0])
  })
}

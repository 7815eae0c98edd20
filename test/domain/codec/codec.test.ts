import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { instant, integer, orNull, text } from '../../../src/domain/codec/codec.ts'
import { closed, MISSING_MEMBER, pathOf, UNKNOWN_MEMBER } from '../../../src/domain/codec/object-codec.ts'

const problemsOf = (read: t.Validation<unknown>): readonly string[] =>
  E.isRight(read) ? [] : read.left.map((error) => `${pathOf(error).join('/')}: ${error.message}`)

const Machine = closed(
  'Machine',
  { name: text(1, 4), port: integer(1, 9), place: closed('Place', { rack: integer(1, 9) }, {}) },
  { note: orNull(text(0, 4)), seen: instant },
)
const machine = { name: 'a', port: 1, place: { rack: 1 } }

test('an object with exactly its members is accepted, with or without optional ones', (t) => {
  t.deepEqual(Machine.decode(machine), E.right(machine))
  t.deepEqual(Machine.decode({ ...machine, note: null }), E.right({ ...machine, note: null }))
  t.true(Machine.is(machine))
  t.false(Machine.is({ ...machine, colour: 'red' }))
})

test('all problems of an object are reported at once with their paths', (t) => {
  const wrong = { name: '', port: 'x', place: { rack: 0, row: 1 }, colour: 'red', note: 5, seen: '2030-05-02' }
  t.deepEqual(problemsOf(Machine.decode(wrong)), [
    'name: must be a string of 1 to 4 characters, without control characters or lone surrogates',
    'port: must be a whole number from 1 to 9',
    'place/rack: must be a whole number from 1 to 9',
    `place/row: ${UNKNOWN_MEMBER}`,
    `colour: ${UNKNOWN_MEMBER}`,
    'note: must be a string of at most 4 characters, without control characters or lone surrogates',
    'seen: is a date without a time; write it like 2030-05-02T08:15:00+02:00',
  ])
  t.deepEqual(problemsOf(Machine.decode({ colour: 'red' })), [
    `colour: ${UNKNOWN_MEMBER}`,
    `name: ${MISSING_MEMBER}`,
    `port: ${MISSING_MEMBER}`,
    `place: ${MISSING_MEMBER}`,
  ])
})

test('names of Object.prototype members are unknown members like any other', (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    const sent = JSON.parse(`{"name":"a","port":1,"place":{"rack":1},"${name}":{"note":"x"}}`)
    t.deepEqual(problemsOf(Machine.decode(sent)), [`${name}: ${UNKNOWN_MEMBER}`])
  }
  const inherited = JSON.parse('{"__proto__":{"name":"a","port":1,"place":{"rack":1}}}')
  t.is(problemsOf(Machine.decode(inherited)).length, 4, 'inherited members do not count')
  t.is(problemsOf(Machine.decode(Object.create(machine))).length, 3)
})

test('a value that is not a JSON object is refused as a whole', (t) => {
  for (const other of [undefined, null, [], [machine], 'x', 5, true]) {
    t.deepEqual(problemsOf(Machine.decode(other)), [': must be a JSON object'])
  }
})

test('an instant is decoded only from text and cannot be encoded', (t) => {
  const read = instant.decode('2030-05-02T08:00:00+02:00')
  t.true(E.isRight(read))
  if (E.isRight(read)) t.deepEqual(read.right, { instant: { seconds: 1_903_932_000, nanoseconds: 0 }, offset: 120 })
  for (const other of [1_903_932_000, null, {}, ['2030-05-02T08:00:00+02:00']]) {
    t.deepEqual(problemsOf(instant.decode(other)), [': must be a string with an RFC 3339 date-time'])
  }
  t.throws(() => instant.encode(undefined as never), { instanceOf: TypeError })
})

test('a whole number without an upper limit is refused beyond the safe integers', (t) => {
  const codec = integer(0, Number.MAX_SAFE_INTEGER)
  t.deepEqual(codec.decode(Number.MAX_SAFE_INTEGER), E.right(Number.MAX_SAFE_INTEGER))
  t.deepEqual(problemsOf(codec.decode(2 ** 53)), [': must be a whole number from 0'])
  t.deepEqual(problemsOf(codec.decode(-1)), [': must be a whole number from 0'])
})

import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { instant, integer, opaqueId, orNull, text } from '../../../src/domain/codec/codec.ts'
import { closed, MISSING_MEMBER, pathOf, UNKNOWN_MEMBER } from '../../../src/domain/codec/object-codec.ts'
import { sutFields, tagName, tagValue } from '../../../src/domain/events/sut.ts'

const problemsOf = (read: t.Validation<unknown>): readonly string[] =>
  E.isRight(read) ? [] : read.left.map((error) => `${pathOf(error).join('/')}: ${error.message}`)

const x = (count: number): string => 'x'.repeat(count)
const EMOJI = '😀'

interface Limits {
  readonly codec: t.Mixed
  readonly taken: readonly unknown[]
  readonly refused: readonly unknown[]
}
const NO_STRINGS = [undefined, null, 5, true, [], ['x'], {}]
const CONTROLS = ['\u0000', 'a\u0007', '\u001b[0m', 'a\u007f', '\u0085', '\u009f', '\u000b', '\u000c']
const LONE = ['\ud83d', '\ude00', 'a\ud83db', '\ude00\ud83d']
const LINES = ['a\nb', 'a\r\nb', '\t']
const NO_LINE = [...NO_STRINGS, ...CONTROLS, ...LONE, ...LINES]
const SHORT_TEXT = [...NO_LINE, x(4097), EMOJI.repeat(4097)]
const LONG_TEXT = ['', 'x', x(4096), EMOJI.repeat(4096), ' ', 'Zoë', '"</script>', '\u00a0', '\u2028']

const fields: Record<string, Limits> = {
  name: {
    codec: sutFields.name,
    taken: ['x', ' ', x(256), EMOJI.repeat(256), 'e\u0301'.repeat(128)],
    refused: [...NO_LINE, '', x(257), EMOJI.repeat(257), `${EMOJI.repeat(256)}x`, 'e\u0301'.repeat(129)],
  },
  description: {
    codec: sutFields.description,
    taken: [...LONG_TEXT, ...LINES],
    refused: [...NO_STRINGS, ...CONTROLS, ...LONE, x(4097), EMOJI.repeat(4097)],
  },
  manufacturer: { codec: sutFields.manufacturer, taken: LONG_TEXT, refused: SHORT_TEXT },
  port: {
    codec: sutFields.port,
    taken: [1, 80, 65535],
    refused: [0, -1, 65536, 1.5, '80', null, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, true, [80]],
  },
  rdp_height: { codec: sutFields.rdp_height, taken: [1, 16384], refused: [0, 16385, 0.5, '720', null] },
  sut_type: { codec: sutFields.sut_type, taken: ['vnc', 'rdp', 'tcp'], refused: ['VNC', 'ssh', '', null, 0, ['vnc']] },
  is_active: { codec: sutFields.is_active, taken: [true, false], refused: ['true', 1, 0, null] },
  'an id': {
    codec: opaqueId,
    taken: ['x', x(128), EMOJI.repeat(128), '590780914445534540190000', '..', 'a b', '%2F', 'ü'],
    refused: [...NO_LINE, '', 'a/b', '/', x(129), EMOJI.repeat(129), '\u2028', '\u200b', '\ufeff', '\ue000'],
  },
  'the name of a tag': {
    codec: tagName,
    taken: ['a', '0', x(64), 'os.arch', 'A_b-c.9', 'constructor'],
    refused: ['', x(65), '.a', '_a', '-a', 'a b', 'ä', 'a/b', '__proto__', 'a\n'],
  },
  'the value of a tag': {
    codec: tagValue,
    taken: ['', null, x(256), EMOJI.repeat(256)],
    refused: [undefined, 5, true, [], {}, x(257), EMOJI.repeat(257), ...CONTROLS, ...LONE, ...LINES],
  },
}
for (const [name, { codec, taken, refused }] of Object.entries(fields)) {
  test(`${name} is accepted within its limits and refused beyond them with a message`, (t) => {
    for (const value of taken) {
      t.deepEqual(codec.decode(value), E.right(value))
      t.true(codec.is(value))
    }
    for (const value of refused) {
      const [problem, ...others] = problemsOf(codec.decode(value))
      t.regex(problem ?? 'taken', /^: must be /, JSON.stringify(value))
      t.deepEqual(others, [])
      t.false(codec.is(value))
    }
  })
}

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

/** Values that are valid, nearly valid or arbitrary. */

import fc from 'fast-check'
import { anyCharacter } from '../../characters.ts'

/** Characters at the boundaries of rules, and signs of times and addresses. */
const EDGES = fc.constantFrom('', '\ud83d', '\ude00', ...' \n\t\r\0\u007f\u009f\u00a0\u2028\u200b😀')
const SIGNS = fc.constantFrom('::', '00', '24', '60', ...'.:-+/%_019afgTtZz')
const short = (maxLength: number) => fc.string({ unit: anyCharacter, maxLength })

/** A text with some characters removed, doubled or inserted. */
export const mutatedText = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.record({ at: fc.nat(text.length), cut: fc.nat(2), put: fc.oneof(EDGES, SIGNS, short(2)) }), {
      maxLength: 2,
    })
    .map((mutations) => mutations.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text))

const LONG = fc.constantFrom(1, 63, 64, 65, 127, 128, 129, 253, 254, 256, 257, 4096, 4097)
const long = fc.tuple(fc.constantFrom('x', '😀', 'a.', '0'), LONG).map(([unit, count]) => unit.repeat(count))
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 65535, 65536, 16385, 2 ** 53, '', 'true', [], {}, ['x']),
  short(3),
  long,
)

export const anything = (value: unknown): fc.Arbitrary<unknown> =>
  typeof value === 'string'
    ? fc.oneof(fc.constant(value), mutatedText(value), junk)
    : fc.oneof(fc.constant(value), junk)

/** An object with a member changed, removed or added, or unchanged. */
export const mutatedObject = (object: object): fc.Arbitrary<unknown> => {
  const members = Object.entries(object)
  const one = fc.constantFrom(...Object.keys(object), 'surprise').chain((name) => {
    const changed = anything(Object(object)[name]).map((value) => ({ ...object, [name]: value }))
    const removed = fc.constant(Object.fromEntries(members.filter(([other]) => other !== name)))
    return fc.oneof({ weight: 3, arbitrary: changed }, { weight: 1, arbitrary: removed })
  })
  return fc.oneof({ weight: 1, arbitrary: fc.constant(object) }, { weight: 5, arbitrary: one }, junk)
}

/** Existing and non-existing date-times. */
export const DATE_TIMES = [
  ...['2030-05-02T08:15:00+02:00', '2028-02-29T23:59:59Z', '2100-02-29T00:00:00z', '0000-02-29T00:00:00Z'],
  ...['2000-02-29t00:00:00.123456789-14:00', '9999-12-31T23:59:59.9+13:59', '2030-04-31T00:00:00-00:00'],
  '2030-11-30T24:00:00Z',
]
export const ADDRESSES = [
  ...['192.168.9.5', '255.255.255.255', '01.2.3.4', '1.2.3', '256.1.1.1', '::', '::1', '1::', '1:2:3:4:5:6:7:8'],
  ...['1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1::3:4:5:6:7:8', '::ffff:192.168.9.5', '1:2:3:4:5:6:1.2.3.4'],
  ...['1:2:3:4:5::1.2.3.4', 'fe80::1.2.3.04', 'bench.lab', 'a-b.c', '-a.b', 'a..b', 'a.0x1', 'a.9', 'A.b9', '1.2.3.4.'],
]

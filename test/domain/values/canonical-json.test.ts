import test from 'ava'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { rounds } from '../../thorough.ts'

/** RFC 8785, appendix B: the bits of a number and its text. */
const NUMBERS: readonly (readonly [bits: string, written: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

const numberOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE()

test('numbers are written as in the examples of RFC 8785', (t) => {
  t.deepEqual(
    NUMBERS.map(([bits]) => [bits, canonicalJson(numberOf(bits))]),
    NUMBERS.map((example) => [...example]),
  )
})

test('numbers that JSON cannot represent are refused, as in RFC 8785', (t) => {
  for (const bits of ['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000']) {
    t.throws(() => canonicalJson({ a: [numberOf(bits)] }), { instanceOf: TypeError })
  }
})

test('members are sorted as in the example of RFC 8785', (t) => {
  const example = JSON.parse(String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
  }`)
  t.is(
    canonicalJson(example),
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
      '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  )
})

test('strings and literals are written as in the example of RFC 8785', (t) => {
  const example = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`)
  t.is(
    canonicalJson(example),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('values that JSON cannot represent exactly are refused at any depth', (t) => {
  for (const value of [undefined, () => 0, 1n, Symbol('a'), '\ud800', 'a\udc00b', Number.NaN]) {
    for (const holder of [value, [value], { a: value }, { a: [{ b: value }] }]) {
      t.throws(() => canonicalJson(holder), { instanceOf: TypeError })
    }
  }
  t.throws(() => canonicalJson({ '\ud800': 1 }), { instanceOf: TypeError })
})

test('property: any JSON value is written like a published implementation, and round-trips', (t) => {
  const property = fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 }), (value) => {
    const written = canonicalJson(value)
    t.is(written, canonicalize(value) as string)
    t.is(canonicalJson(JSON.parse(written)), written)
  })
  fc.assert(property, { numRuns: rounds(20, 500) })
})

test('property: any number is written like a published implementation', (t) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => canonicalJson(n) === canonicalize(n)),
  )
  t.pass()
})

import test from 'ava'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { rounds } from '../../thorough.ts'

test('values that JSON cannot represent exactly are refused at any depth', (t) => {
  for (const value of [
    undefined,
    () => 0,
    1n,
    Symbol('a'),
    '\ud800',
    'a\udc00b',
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
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
  fc.assert(property, { numRuns: rounds(100, 500) })
})

test('property: any number is written like a published implementation', (t) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => canonicalJson(n) === canonicalize(n)),
  )
  t.pass()
})

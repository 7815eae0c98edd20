import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../../src/domain/codec/json-schema.ts'
import { decodeQuery } from '../../../src/http/codecs/query.ts'
import type { Parameters } from '../../../src/http/protocol/route.ts'
import { rounds } from '../../thorough.ts'

const encoded = (character: string): string => (character.isWellFormed() ? encodeURIComponent(character) : '%')

test('property: a value is decoded like decodeURIComponent, and refused when that throws', (t) => {
  const piece = fc.oneof(
    fc.constantFrom('a', '+', '%', '%2', '%zz', '%4a', '%4A'),
    fc.nat({ max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map(encoded),
  )
  const read = (value: string) =>
    decodeQuery<string | undefined>(`a=${value}`, (parameters) => E.right(parameters.get('a')))
  const expected = (value: string): string | undefined => {
    try {
      return decodeURIComponent(value.replaceAll('+', ' '))
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const value = pieces.join('')
      const decoded = read(value)
      t.is(E.isRight(decoded) ? decoded.right : undefined, expected(value))
    }),
    { numRuns: rounds(100, 5_000) },
  )
})

test('which parameters may be repeated is worked out once for a query, however many are repeated', (t) => {
  let schemas = 0
  const decode = withSchema(
    (parameters: Parameters) => E.right([...parameters]),
    () => {
      schemas++
      return { properties: { a: { type: 'array' }, b: { type: 'string' } } }
    },
  )
  const read = decodeQuery('a=1&a=2&a=3&b=1&b=2&c&c&b=3', decode)
  t.deepEqual(E.isLeft(read) && read.left.map(({ path }) => path), [['b'], ['c']])
  t.deepEqual(
    decodeQuery('a=1&a=2&b=1&a=3', decode),
    E.right([
      ['a', '1,2,3'],
      ['b', '1'],
    ]),
  )
  t.is(schemas, 2)
})

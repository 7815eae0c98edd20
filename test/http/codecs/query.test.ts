import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../../src/domain/codec/json-schema.ts'
import { decodeQuery } from '../../../src/http/codecs/query.ts'
import type { Parameters } from '../../../src/http/protocol/route.ts'

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

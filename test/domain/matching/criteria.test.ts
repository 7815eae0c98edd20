import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { schemaOf } from '../../../src/domain/codec/json-schema.ts'
import { pathOf } from '../../../src/domain/codec/object-codec.ts'
import { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeAjv } from '../../http/documents/fitting.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`)
const tagged = (count: number) => Object.fromEntries(numbered(count).map((name) => [name, 'x']))

const accepted: readonly unknown[] = [
  { os: 'windows' },
  { os: '' },
  { sut_type: 'VNC', name: ['a', 'b'], manufacturer: 'm', model: 'm', version: ['1'] },
  { name: numbered(32) },
  { tags: { rack: ['3', '4'], gpu: null, empty: '' } },
  { tags: tagged(16) },
  { tags: { constructor: 'x' } },
  { not: { tags: { gpu: null } } },
  { os: 'windows', not: { os: 'windows', name: ['x'] } },
]

const EMPTY = 'must have at least one member'
const SEVERAL = 'must be a string, or an array of 1 to 32 strings'
const refused: readonly (readonly [unknown, path: string, message: string])[] = [
  ['os=windows', '', 'must be a JSON object'],
  [[{ os: 'windows' }], '', 'must be a JSON object'],
  [{}, '', EMPTY],
  [{ os: 'windows', tags: {} }, 'tags', EMPTY],
  [{ os: 'windows', not: {} }, 'not', EMPTY],
  [{ not: { tags: {} } }, 'not/tags', EMPTY],
  [{ os: [] }, 'os', 'must be an array of 1 to 32 strings'],
  [{ os: numbered(33) }, 'os', 'must be an array of 1 to 32 strings'],
  [{ tags: { rack: [] } }, 'tags/rack', 'must be an array of 1 to 32 strings'],
  [{ tags: tagged(17) }, 'tags', 'must have at most 16 members'],
  [{ os: 7 }, 'os', SEVERAL],
  [{ os: null }, 'os', SEVERAL],
  [{ tags: { rack: 4 } }, 'tags/rack', SEVERAL],
  [{ not: { not: { os: 'x' } } }, 'not/not', 'is unknown'],
  [{ address: 'x' }, 'address', 'is unknown'],
  [
    { os: ['a', 'b\u0000'] },
    'os/1',
    'must be a string of at most 4096 characters, without control characters or lone surrogates',
  ],
  [{ name: '' }, 'name', 'must be a string of 1 to 256 characters, without control characters or lone surrogates'],
  [{ tags: { _a: 'x' } }, 'tags/_a', 'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit'],
]

const fitsSchema = makeAjv().compile(schemaOf(Criteria))

test('criteria are strings or arrays by field and tag, at least one, and are recorded as they were sent', (t) => {
  for (const criteria of accepted) {
    t.deepEqual(Criteria.decode(criteria), E.right(criteria as Criteria))
    t.true(Criteria.is(criteria))
    t.true(fitsSchema(criteria), JSON.stringify(criteria))
  }
})

test('criteria that could not mean anything are refused at their place', (t) => {
  for (const [criteria, path, message] of refused) {
    const decoded = Criteria.decode(criteria)
    const problems = E.isLeft(decoded) ? decoded.left.map((error) => [pathOf(error).join('/'), error.message]) : []
    t.deepEqual(problems, [[path, message]], JSON.stringify(criteria))
    t.false(Criteria.is(criteria))
    t.false(fitsSchema(criteria), JSON.stringify(criteria))
  }
})

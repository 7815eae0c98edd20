import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { schemaOf } from '../../../src/domain/codec/json-schema.ts'
import { pathOf } from '../../../src/domain/codec/object-codec.ts'
import { AskedCriteria, Criteria } from '../../../src/domain/events/criteria.ts'
import { makeAjv } from '../../http/documents/fitting.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`)
const tagged = (count: number) => Object.fromEntries(numbered(count).map((name) => [name, 'x']))

const accepted: readonly unknown[] = [
  { os: 'windows' },
  { os: null, not: { version: null } },
  { sut_type: ['VNC', 'tcp'], name: ['a', 'b'], manufacturer: 'm', model: 'm', version: ['1'] },
  { name: numbered(32) },
  { tags: { rack: ['3', '4'], gpu: null, empty: '' } },
  { tags: tagged(16) },
  { tags: { constructor: 'x' } },
  { not: { tags: { gpu: null } } },
  { os: 'windows', not: { os: 'windows', name: ['x'] } },
]

const EMPTY = 'must have at least one member'
const SEVERAL = 'must be a string, or an array of 1 to 32 strings'
const FILLED = 'must be a string of 1 to 4096 characters, without control characters or lone surrogates'
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
  [{ name: null }, 'name', SEVERAL],
  [{ sut_type: null }, 'sut_type', SEVERAL],
  [{ sut_type: 'ssh' }, 'sut_type', 'must be vnc, rdp or tcp'],
  [{ not: { sut_type: ['vnc', ''] } }, 'not/sut_type/1', 'must be vnc, rdp or tcp'],
  [{ os: '' }, 'os', FILLED],
  [{ os: ['windows', ''] }, 'os/1', FILLED],
  [{ not: { version: '' } }, 'not/version', FILLED],
  [{ tags: { rack: 4 } }, 'tags/rack', SEVERAL],
  [{ not: { not: { os: 'x' } } }, 'not/not', 'is unknown'],
  [{ address: 'x' }, 'address', 'is unknown'],
  [{ os: ['a', 'b\u0000'] }, 'os/1', FILLED],
  [{ name: '' }, 'name', 'must be a string of 1 to 256 characters, without control characters or lone surrogates'],
  [{ tags: { _a: 'x' } }, 'tags/_a', 'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit'],
]

const fitsSchema = makeAjv().compile(schemaOf(AskedCriteria))

test('criteria are strings or arrays by field and tag, at least one, and are recorded as they were sent', (t) => {
  for (const criteria of accepted) {
    t.deepEqual(AskedCriteria.decode(criteria), E.right(criteria as Criteria))
    t.true(AskedCriteria.is(criteria) && Criteria.is(criteria))
    t.true(fitsSchema(criteria), JSON.stringify(criteria))
  }
})

test('criteria that could not mean anything are refused at their place', (t) => {
  for (const [criteria, path, message] of refused) {
    const decoded = AskedCriteria.decode(criteria)
    const problems = E.isLeft(decoded) ? decoded.left.map((error) => [pathOf(error).join('/'), error.message]) : []
    t.deepEqual(problems, [[path, message]], JSON.stringify(criteria))
    t.false(AskedCriteria.is(criteria))
    t.false(fitsSchema(criteria), JSON.stringify(criteria))
  }
})

test('criteria that were recorded before empty values were refused remain readable', (t) => {
  for (const criteria of [{ os: '' }, { sut_type: 'ssh' }, { not: { version: ['', '1'] } }]) {
    t.deepEqual(Criteria.decode(criteria), E.right(criteria))
  }
})

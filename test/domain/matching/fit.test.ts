import test from 'ava'
import fc from 'fast-check'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeFit, profileOf, type SutFields } from '../../../src/domain/matching/fit.ts'
import { sutValues } from '../builders.ts'
import { criteria, suts } from './arbitrary-criteria.ts'

type Tags = Readonly<Record<string, string>>

const isFit = (criteria: Criteria, fields: Partial<SutFields> = {}, tags: Tags = {}): boolean =>
  makeFit(criteria)(profileOf({ ...sutValues(), ...fields }, tags))

test('fields are compared as names of users are, tags exactly', (t) => {
  t.true(isFit({ os: 'WINDOWS', sut_type: 'VNC', name: 'Bench 4' }))
  t.true(isFit({ name: 'STRASSE ﬁ' }, { name: 'Straße fi' }))
  t.false(isFit({ name: 'bench' }))
  t.false(isFit({ os: 'windóws' }))
  t.true(isFit({ tags: { rack: '4' } }, {}, { rack: '4' }))
  t.false(isFit({ tags: { rack: 'A' } }, {}, { rack: 'a' }))
  t.false(isFit({ tags: { Rack: '4' } }, {}, { rack: '4' }))
})

test('one of several values is enough, null is a tag that is not there, and an empty tag is there', (t) => {
  t.true(isFit({ os: ['linux', 'windows'] }))
  t.true(isFit({ tags: { rack: ['3', '4'] } }, {}, { rack: '4' }))
  t.true(isFit({ tags: { gpu: null } }))
  t.true(isFit({ tags: { constructor: null } }))
  t.false(isFit({ tags: { gpu: null } }, {}, { gpu: '' }))
  t.true(isFit({ tags: { gpu: '' } }, {}, { gpu: '' }))
  t.false(isFit({ tags: { gpu: '' } }))
})

test('null is a field that is empty', (t) => {
  t.true(isFit({ os: null, not: { version: null } }, { os: '', version: '10' }))
  t.false(isFit({ os: null }))
  t.false(isFit({ not: { version: null } }, { version: '' }))
  // As logs of before 2.0 have it.
  t.true(isFit({ os: '' }, { os: '' }))
})

test('a SUT is out if any one criterion under not holds', (t) => {
  t.false(isFit({ not: { os: 'windows', tags: { rack: '9' } } }))
  t.false(isFit({ not: { os: 'linux', tags: { gpu: null } } }))
  t.true(isFit({ not: { os: 'linux', tags: { gpu: null } } }, {}, { gpu: 'l4' }))
  t.false(isFit({ os: 'windows', not: { version: ['xp'] } }))
})

/** Every criterion of these, whether it holds: written from the interface's words, one comparison at a time. */
const holding = (asked: object, { fields, tags }: { fields: SutFields; tags: Tags }): boolean[] => {
  const held: boolean[] = []
  for (const [name, wanted] of Object.entries(asked)) {
    if (name === 'not') continue
    if (name !== 'tags') {
      let isOne = false
      for (const word of Array.isArray(wanted) ? wanted : [wanted ?? ''])
        if (word.toUpperCase() === fields[name as keyof SutFields].toUpperCase()) isOne = true
      held.push(isOne)
      continue
    }
    for (const [tag, value] of Object.entries(wanted)) {
      const mine = new Map(Object.entries(tags)).get(tag)
      if (value === null) held.push(mine === undefined)
      else held.push(mine !== undefined && (Array.isArray(value) ? value : [value]).includes(mine))
    }
  }
  return held
}

test('criteria fit exactly the SUTs for which each holds and none under not does', (t) => {
  fc.assert(
    fc.property(criteria, suts, (asked, sut) => {
      const expected = !holding(asked, sut).includes(false) && !holding(asked.not ?? {}, sut).includes(true)
      t.is(makeFit(asked)(profileOf(sut.fields, sut.tags)), expected)
    }),
    { numRuns: 500 },
  )
})

import test from 'ava'
import fc from 'fast-check'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeFit, type Profile, profileOf } from '../../../src/domain/matching/fit.ts'
import { hasSlot, haveCommonSlot, makeFitIndex, slotsIn } from '../../../src/domain/matching/fit-index.ts'
import { fits } from '../../../src/domain/user/scope.ts'
import { criteria, suts } from './arbitrary-criteria.ts'

const SLOTS = 70

/** Changes of what is in the slots. Those of 33 and more share a feature in the long run. */
const changes = fc.array(fc.record({ slot: fc.nat(SLOTS - 1), sut: fc.option(suts, { nil: undefined, freq: 6 }) }), {
  minLength: 1,
  maxLength: 200,
})

test('an index finds exactly the SUTs that fit criteria and a scope, whatever has changed', (t) => {
  fc.assert(
    fc.property(changes, fc.array(criteria, { minLength: 1, maxLength: 3 }), (all, asked) => {
      const index = makeFitIndex()
      const profiles: (Profile | undefined)[] = []
      const scope = { x: 'a' }
      const check = (wanted: Criteria): void => {
        const isFit = makeFit(wanted)
        const found = index.fitting(wanted)
        const inScope = index.inScope(scope)
        const expected = profiles.flatMap((profile, slot) => (profile !== undefined && isFit(profile) ? [slot] : []))
        t.deepEqual([...slotsIn(found)], expected)
        t.true(expected.every((slot) => hasSlot(found, slot)))
        t.false(hasSlot(found, SLOTS + 100))
        const expectedBoth = expected.filter((slot) => fits(profiles[slot]?.tags ?? {}, scope))
        t.is(haveCommonSlot(found, inScope, found), expectedBoth.length > 0)
      }
      for (const [n, { slot, sut }] of all.entries()) {
        profiles[slot] = sut && profileOf(sut.fields, sut.tags)
        index.put(slot, profiles[slot])
        if (n % 20 === 0) check(asked[0] as Criteria)
      }
      for (const one of asked) check(one)
    }),
    { numRuns: 100 },
  )
})

test('what has not changed is not looked for again', (t) => {
  const index = makeFitIndex()
  const fields = { sut_type: 'vnc', manufacturer: '', model: '', os: 'linux', version: '', name: 'a' } as const
  const wanted: Criteria = { os: 'linux' }
  index.put(3, profileOf(fields, { rack: '4' }))
  const found = index.fitting(wanted)
  index.put(3, profileOf(fields, { rack: '4' }))
  t.is(index.fitting(wanted), found)
  index.put(3, profileOf(fields, { rack: '4', broken: '' }))
  t.not(index.fitting(wanted), found)
})

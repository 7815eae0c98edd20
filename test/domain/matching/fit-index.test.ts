import test from 'ava'
import fc from 'fast-check'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeFit, type Profile, profileOf } from '../../../src/domain/matching/fit.ts'
import { makeFitIndex } from '../../../src/domain/matching/fit-index.ts'
import { hasSlot, haveCommonSlot, intersect, sizeOf, slotsIn } from '../../../src/domain/matching/slot-set.ts'
import { fits } from '../../../src/domain/user/scope.ts'
import { sutValues } from '../builders.ts'
import { criteria, suts } from './arbitrary-criteria.ts'

const SLOTS = 70

/** Changes of what is in the slots. */
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
        t.is(haveCommonSlot(found, inScope), expectedBoth.length > 0)
        t.deepEqual([...slotsIn(intersect(found, inScope))], expectedBoth)
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

test('more SUTs and more changes than an index begins with are all found', (t) => {
  const index = makeFitIndex()
  const wanted: Criteria = { os: 'linux' }
  const profile = (os: string) => profileOf({ ...sutValues(), os }, {})
  for (let slot = 0; slot < 3_000; slot++) {
    index.put(slot, profile(slot % 2 === 0 ? 'linux' : 'windows'))
    if (slot === 1_000) t.is(sizeOf(index.fitting(wanted)), 501)
  }
  t.is(sizeOf(index.fitting(wanted)), 1_500)
  for (let n = 0; n < 15_900; n++) index.put(1, profile(n % 2 === 0 ? 'linux' : 'windows'))
  index.put(2, undefined)
  t.is(sizeOf(index.fitting(wanted)), 1_499)
})

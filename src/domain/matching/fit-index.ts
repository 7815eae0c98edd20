import type { Criteria } from '../events/criteria.ts'
import type { Scope } from '../user/scope.ts'
import { type AllCriteria, type Criterion, criteriaIn, makeTest, type Profile } from './fit.ts'
import { emptySet, retain, type SlotSet, setSlot } from './slot-set.ts'

/** What was found, and how many changes it takes into account. */
interface Kept {
  readonly set: SlotSet
  readonly isFit: (profile: Profile) => boolean
  seen: number
}

/** Changes that are remembered: after more, what is in use is found anew. */
const CHANGES_MAX = 16_384
const FIRST_CAPACITY = 1_024

const isSame = (a: Profile, b: Profile): boolean => {
  const names = Object.keys(a.tags)
  return (
    names.length === Object.keys(b.tags).length &&
    names.every((name) => Object.hasOwn(b.tags, name) && a.tags[name] === b.tags[name]) &&
    a.fields.every((field, n) => field === b.fields[n])
  )
}

const featureOf = (of: { readonly field: number } | { readonly tag: string }, value?: string): string =>
  'field' in of ? `${of.field} ${value}` : value === undefined ? `?${of.tag}` : `=${of.tag} ${value}`

/** What a SUT has: each value, and each tag whatever its value. */
const featuresOf = ({ fields, tags }: Profile): readonly string[] => [
  ...fields.map((value, n) => featureOf({ field: n }, value)),
  ...Object.entries(tags).flatMap(([tag, value]) => [featureOf({ tag }), featureOf({ tag }, value)]),
]

const criteriaOfScope = (scope: Scope): readonly Criterion[] =>
  Object.entries(scope).map(([tag, value]) => ({ tag, values: new Set([value]) }))

/**
 * Finds the SUTs that fit criteria by what they have, without comparing each. What was found for criteria that are still
 * in use, such as those of requests that wait, is kept up to date. Sets are those of the index: they change with it. `put` takes what
 * criteria see of the SUT in a slot, or that there is none any more.
 */
export const makeFitIndex = () => {
  const profiles: (Profile | undefined)[] = []
  const having = new Map<string, Set<number>>()
  let capacity = FIRST_CAPACITY
  let every = emptySet(capacity)
  let changed: number[] = []
  let kept = new WeakMap<object, Kept>()

  const forgetFound = (): void => {
    kept = new WeakMap()
    changed = []
  }

  const grow = (slot: number): void => {
    while (capacity <= slot) capacity *= 2
    const larger = emptySet(capacity)
    larger.set(every)
    every = larger
    forgetFound()
  }

  const holding = ({ values, ...of }: Criterion): SlotSet => {
    const set = emptySet(capacity)
    for (const feature of values === null ? [featureOf(of)] : [...values].map((value) => featureOf(of, value)))
      for (const slot of having.get(feature) ?? []) setSlot(set, slot, true)
    if (values !== null) return set
    const lacking = every.slice()
    retain(lacking, set, false)
    return lacking
  }

  const find = (key: object, criteriaOf: () => AllCriteria): SlotSet => {
    let fitting = kept.get(key)
    if (fitting === undefined) {
      const criteria = criteriaOf()
      const set = every.slice()
      for (const criterion of criteria.must) retain(set, holding(criterion), true)
      for (const criterion of criteria.mustNot) retain(set, holding(criterion), false)
      fitting = { set, isFit: makeTest(criteria), seen: changed.length }
      kept.set(key, fitting)
    }
    for (; fitting.seen < changed.length; fitting.seen++) {
      const slot = changed[fitting.seen] as number
      const profile = profiles[slot]
      setSlot(fitting.set, slot, profile !== undefined && fitting.isFit(profile))
    }
    return fitting.set
  }

  return {
    put: (slot: number, profile: Profile | undefined): void => {
      const before = profiles[slot]
      if (before === profile || (before !== undefined && profile !== undefined && isSame(before, profile))) return
      if (slot >= capacity) grow(slot)
      profiles[slot] = profile
      setSlot(every, slot, profile !== undefined)
      for (const feature of before === undefined ? [] : featuresOf(before)) {
        const slots = having.get(feature)
        slots?.delete(slot)
        if (slots?.size === 0) having.delete(feature)
      }
      for (const feature of profile === undefined ? [] : featuresOf(profile))
        having.set(feature, (having.get(feature) ?? new Set()).add(slot))
      if (changed.push(slot) > CHANGES_MAX) forgetFound()
    },
    fitting: (criteria: Criteria): SlotSet => find(criteria, () => criteriaIn(criteria)),
    inScope: (scope: Scope): SlotSet => find(scope, () => ({ must: criteriaOfScope(scope), mustNot: [] })),
    holding,
  }
}

import type { Criteria } from '../events/criteria.ts'
import type { Scope } from '../user/scope.ts'
import { type Criterion, criteriaIn, type Profile } from './fit.ts'

/** A set of SUTs, one bit a slot. Bits beyond its end are not set. */
export type SlotSet = Uint32Array

const BITS = 32

export const hasSlot = (set: SlotSet, slot: number): boolean => (((set[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1

const setBit = (set: SlotSet, slot: number): void => {
  set[slot >>> 5] = (set[slot >>> 5] as number) | (1 << (slot & 31))
}

/** Whether three sets have a slot in common. */
export const haveCommonSlot = (a: SlotSet, b: SlotSet, c: SlotSet): boolean => {
  const length = Math.min(a.length, b.length, c.length)
  for (let n = 0; n < length; n++) {
    if (((a[n] as number) & (b[n] as number) & (c[n] as number)) !== 0) return true
  }
  return false
}

export const intersect = (a: SlotSet, b: SlotSet): SlotSet => {
  const common = a.slice(0, Math.min(a.length, b.length))
  for (let n = 0; n < common.length; n++) common[n] = (common[n] as number) & (b[n] as number)
  return common
}

export const singleSlot = (slot: number): SlotSet => {
  const set = new Uint32Array((slot >>> 5) + 1)
  setBit(set, slot)
  return set
}

export const sizeOf = (set: SlotSet): number => {
  let size = 0
  for (const _ of slotsIn(set)) size++
  return size
}

export function* slotsIn(set: SlotSet): Generator<number> {
  for (let n = 0; n < set.length; n++) {
    for (let bits = set[n] as number; bits !== 0; bits &= bits - 1) yield n * BITS + (31 - Math.clz32(bits & -bits))
  }
}

/**
 * Finds the SUTs that fit criteria without comparing each: for the many criteria of those who wait, of which each is
 * compared with each other.
 */
export interface FitIndex {
  /** Takes what criteria see of the SUT in a slot; undefined if there is none. */
  readonly put: (slot: number, profile: Profile | undefined) => void
  /** The SUTs that fit. The same array until one of them changes. */
  readonly fitting: (criteria: Criteria) => SlotSet
  readonly inScope: (scope: Scope) => SlotSet
}

const isSame = (a: Profile, b: Profile): boolean => {
  const names = Object.keys(a.tags)
  return (
    names.length === Object.keys(b.tags).length &&
    names.every((name) => Object.hasOwn(b.tags, name) && a.tags[name] === b.tags[name]) &&
    a.fields.every((field, n) => field === b.fields[n])
  )
}

/** What a SUT has: each value, and each tag whatever its value. */
const featuresOf = ({ fields, tags }: Profile): readonly string[] => [
  EVERY,
  ...fields.map((value, n) => featureOf({ field: n }, value)),
  ...Object.entries(tags).flatMap(([tag, value]) => [featureOf({ tag }), featureOf({ tag }, value)]),
]

/** What every SUT has. */
const EVERY = ''
const featureOf = (of: { readonly field: number } | { readonly tag: string }, value?: string): string =>
  'field' in of ? `${of.field} ${value}` : value === undefined ? `?${of.tag}` : `=${of.tag} ${value}`

const unite = (set: SlotSet, other: SlotSet): void => {
  for (let n = 0; n < set.length; n++) set[n] = (set[n] as number) | (other[n] as number)
}

/** The slots of each feature, as sets of bits where there are many. */
const makeFeatures = () => {
  const having = new Map<string, Set<number>>()
  let size = 0
  /** Dropped with each change. */
  let wide = new Map<string, SlotSet>()

  const emptySet = (): SlotSet => new Uint32Array(Math.ceil(size / BITS))
  const wideSet = (feature: string, slots: ReadonlySet<number>): SlotSet => {
    const known = wide.get(feature)
    if (known !== undefined) return known
    const set = emptySet()
    for (const slot of slots) setBit(set, slot)
    wide.set(feature, set)
    return set
  }

  return {
    emptySet,
    remove: (slot: number, features: readonly string[]): void => {
      wide = new Map()
      for (const feature of features) {
        const slots = having.get(feature)
        slots?.delete(slot)
        if (slots?.size === 0) having.delete(feature)
      }
    },
    add: (slot: number, features: readonly string[]): void => {
      wide = new Map()
      size = Math.max(size, slot + 1)
      for (const feature of features) having.set(feature, (having.get(feature) ?? new Set()).add(slot))
    },
    /** Adds those that have a feature to a set. */
    gather: (set: SlotSet, feature: string): void => {
      const slots = having.get(feature)
      if (slots === undefined) return
      if (slots.size <= BITS) for (const slot of slots) setBit(set, slot)
      else unite(set, wideSet(feature, slots))
    },
  }
}

export const makeFitIndex = (): FitIndex => {
  const profiles: (Profile | undefined)[] = []
  const { emptySet, remove, add, gather } = makeFeatures()
  /** Of criteria and scopes in use. Dropped when what a SUT has changes, which is rare beside comparisons. */
  let kept = new WeakMap<object, SlotSet>()

  /** Keeps the slots in which a criterion holds, or those in which it does not. */
  const narrow = (set: SlotSet, criterion: Criterion, isWanted: boolean): void => {
    const holding = emptySet()
    const { values } = criterion
    if (values === null) gather(holding, featureOf(criterion))
    else for (const value of values) gather(holding, featureOf(criterion, value))
    const isKept = (values !== null) === isWanted
    for (let n = 0; n < set.length; n++) {
      const bits = holding[n] as number
      set[n] = (set[n] as number) & (isKept ? bits : ~bits)
    }
  }

  const find = (key: object, must: readonly Criterion[], mustNot: readonly Criterion[]): SlotSet => {
    const set = emptySet()
    gather(set, EVERY)
    for (const criterion of must) narrow(set, criterion, true)
    for (const criterion of mustNot) narrow(set, criterion, false)
    kept.set(key, set)
    return set
  }

  return {
    put: (slot, profile) => {
      const before = profiles[slot]
      if (before === profile || (before !== undefined && profile !== undefined && isSame(before, profile))) return
      profiles[slot] = profile
      if (before !== undefined) remove(slot, featuresOf(before))
      if (profile !== undefined) add(slot, featuresOf(profile))
      kept = new WeakMap()
    },
    fitting: (criteria) => {
      const known = kept.get(criteria)
      if (known !== undefined) return known
      const { must, mustNot } = criteriaIn(criteria)
      return find(criteria, must, mustNot)
    },
    inScope: (scope) =>
      kept.get(scope) ??
      find(
        scope,
        Object.entries(scope).map(([tag, value]) => ({ tag, values: new Set([value]) })),
        [],
      ),
  }
}

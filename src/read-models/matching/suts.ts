import type { Wanted } from '../../domain/matching/candidates.ts'
import type { Profile } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import { type KnownWindows, NEVER, newWindows, type Opening, openingAt } from '../../domain/matching/openings.ts'
import { hashText } from '../../domain/matching/order.ts'
import { emptySet, intersect, type SlotSet, setSlot } from '../../domain/matching/slot-set.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { Matchable } from '../lists/matchable.ts'

/** A SUT that is not retired. */
export interface KnownSut extends Omit<Matchable, 'profile'> {
  readonly _id: string
  readonly hash: number
  readonly windows: KnownWindows
  /** Undefined until its document is read. */
  readonly profile: Profile | undefined
}

export type KnownSuts = ReturnType<typeof makeKnownSuts>

/** What is free at a quarter, as far as somebody has asked. */
interface Quarter {
  readonly openings: (Opening | undefined)[]
  free: SlotSet
  /** The slots that have changed since `free` was last asked for. */
  readonly changed: Set<number>
}

/** Quarters that are remembered: the current one, and those asked for last. */
const QUARTERS_MAX = 4

const NOTHING = emptySet(0)
const EVERYWHERE: Scope = {}

const makeQuarters = (suts: readonly (KnownSut | undefined)[]) => {
  const kept = new Map<number, Quarter>()

  const quarterFor = (quarter: number): Quarter => {
    const own = kept.get(quarter) ?? { openings: [], free: NOTHING, changed: new Set(suts.keys()) }
    // As the one that was asked for last.
    kept.delete(quarter)
    kept.set(quarter, own)
    const [oldest] = kept.keys()
    if (kept.size > QUARTERS_MAX && oldest !== undefined) kept.delete(oldest)
    return own
  }

  const opening = (slot: number, quarter: number): Opening => {
    const { openings } = quarterFor(quarter)
    const known = openings[slot]
    if (known !== undefined) return known
    const { windows, turnaround } = suts[slot] as KnownSut
    const found = openingAt(windows, quarter, turnaround)
    openings[slot] = found
    return found
  }

  return {
    opening,
    free: (quarter: number): SlotSet => {
      const own = quarterFor(quarter)
      if (own.free.length * 32 < suts.length) {
        const larger = emptySet(2 * suts.length)
        larger.set(own.free)
        own.free = larger
      }
      for (const slot of own.changed) {
        const isFree = suts[slot]?.isBookable === true && opening(slot, quarter).begins !== NEVER
        setSlot(own.free, slot, isFree)
      }
      own.changed.clear()
      return own.free
    },
    changed: (slot: number): void => {
      for (const { openings, changed } of kept.values()) {
        openings[slot] = undefined
        changed.add(slot)
      }
    },
  }
}

/** SUTs by slot: small numbers. That of a retired SUT is used again. */
export const makeKnownSuts = () => {
  const slots = new Map<string, number>()
  const suts: (KnownSut | undefined)[] = []
  const unused: number[] = []
  const index = makeFitIndex()
  const { opening, free, changed } = makeQuarters(suts)

  const slotOf = (_id: string): number => {
    const known = slots.get(_id)
    if (known !== undefined) return known
    const slot = unused.pop() ?? suts.length
    slots.set(_id, slot)
    const unread = { name: '', profile: undefined, isBookable: false, turnaround: 0 }
    suts[slot] = { _id, hash: hashText(_id), windows: newWindows(), ...unread }
    return slot
  }

  const fittingTarget = ({ criteria, sut_id }: Wanted): SlotSet => {
    if (criteria !== undefined) return index.fitting(criteria)
    if (sut_id === undefined) return index.inScope(EVERYWHERE)
    const slot = slots.get(sut_id)
    if (slot === undefined) return NOTHING
    const only = emptySet(slot + 1)
    setSlot(only, slot, suts[slot]?.profile !== undefined)
    return only
  }

  return {
    size: () => suts.length,
    at: (slot: number): KnownSut | undefined => suts[slot],
    find: (id: string): KnownSut | undefined => suts[slots.get(id) ?? -1],
    /** The slot of a SUT; undefined if it is not known. */
    place: (id: string): number | undefined => slots.get(id),
    /** Takes a SUT; undefined if it is retired. */
    put: (id: string, sut: Matchable | undefined): void => {
      const slot = slotOf(id)
      if (sut === undefined) {
        suts[slot] = undefined
        slots.delete(id)
        unused.push(slot)
      } else {
        const { name, profile, isBookable, turnaround } = sut
        Object.assign(suts[slot] as KnownSut, { name, profile, isBookable, turnaround })
      }
      index.put(slot, sut?.profile)
      changed(slot)
    },
    /** Changes the windows of a SUT, which is made if it is new. */
    changeWindows: (id: string, change: (windows: KnownWindows) => void): void => {
      const slot = slotOf(id)
      change((suts[slot] as KnownSut).windows)
      changed(slot)
    },
    /** What a SUT has free at a quarter. */
    opening,
    /** The SUTs of which a window can begin in a quarter. The set changes with them. */
    free,
    index,
    /** The SUTs that fit and are in all scopes. The set may change with them. */
    fitting: (wanted: Wanted): SlotSet =>
      wanted.scopes.reduce<SlotSet>((set, scope) => intersect(set, index.inScope(scope)), fittingTarget(wanted)),
  }
}

import type { Window } from '../../domain/calendar/window.ts'
import type { Wanted } from '../../domain/matching/candidates.ts'
import type { Profile } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import { type KnownWindows, NEVER, newWindows, type Opening, openingAt } from '../../domain/matching/openings.ts'
import { hashText } from '../../domain/matching/order.ts'
import { emptySet, intersect, isEmpty, type SlotSet, setSlot } from '../../domain/matching/slot-set.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { Matchable } from '../lists/matchable.ts'

/** A SUT that is not retired. */
export interface KnownSut extends Omit<Matchable, 'profile'> {
  readonly _id: string
  readonly slot: number
  readonly hash: number
  readonly windows: KnownWindows
  /** Undefined until its document is read. */
  readonly profile: Profile | undefined
}

export type KnownSuts = ReturnType<typeof makeKnownSuts>

/** Quarters that are remembered: the current one, and those asked for last. */
const QUARTERS_MAX = 4

const NOTHING = emptySet(0)
const EVERYWHERE: Scope = {}

export const openingOf = ({ windows, turnaround }: KnownSut, quarter: number): Opening =>
  openingAt(windows, quarter, turnaround)

/** Whether a SUT takes a window, which begins in the quarter of its start. */
export const isFreeIn = (sut: KnownSut, { start, end }: Window): boolean => {
  if (!sut.isBookable) return false
  const { begins, until } = openingOf(sut, start)
  return begins !== NEVER && end <= until
}

/** The SUTs of which a window can begin in a quarter, for the quarters asked for last. */
const makeFree = (suts: readonly (KnownSut | undefined)[]) => {
  /** With the slots that have changed since. */
  const kept = new Map<number, { free: SlotSet; readonly changed: Set<number> }>()
  return {
    free: (quarter: number): SlotSet => {
      const own = kept.get(quarter) ?? { free: NOTHING, changed: new Set(suts.keys()) }
      // As the one that was asked for last.
      kept.delete(quarter)
      kept.set(quarter, own)
      const [oldest] = kept.keys()
      if (kept.size > QUARTERS_MAX && oldest !== undefined) kept.delete(oldest)
      if (own.free.length * 32 < suts.length) {
        const larger = emptySet(2 * suts.length)
        larger.set(own.free)
        own.free = larger
      }
      for (const slot of own.changed) {
        const sut = suts[slot]
        setSlot(own.free, slot, sut?.isBookable === true && openingOf(sut, quarter).begins !== NEVER)
      }
      own.changed.clear()
      return own.free
    },
    changed: (slot: number): void => {
      for (const { changed } of kept.values()) changed.add(slot)
    },
  }
}

/** SUTs by slot: small numbers. That of a retired SUT is used again. */
export const makeKnownSuts = () => {
  const known = new Map<string, KnownSut>()
  const suts: (KnownSut | undefined)[] = []
  const unused: number[] = []
  const index = makeFitIndex()
  const { free, changed } = makeFree(suts)

  const findOrMake = (_id: string): KnownSut => {
    const before = known.get(_id)
    if (before !== undefined) return before
    const slot = unused.pop() ?? suts.length
    const unread = { name: '', profile: undefined, isBookable: false, turnaround: 0 }
    const sut = { _id, slot, hash: hashText(_id), windows: newWindows(), ...unread }
    known.set(_id, sut)
    suts[slot] = sut
    return sut
  }

  const fittingTarget = ({ criteria, sut_id }: Wanted): SlotSet => {
    if (criteria !== undefined) return index.fitting(criteria)
    if (sut_id === undefined) return index.inScope(EVERYWHERE)
    const sut = known.get(sut_id)
    if (sut?.profile === undefined) return NOTHING
    const only = emptySet(sut.slot + 1)
    setSlot(only, sut.slot, true)
    return only
  }

  const fitting = (wanted: Wanted): SlotSet =>
    wanted.scopes.reduce<SlotSet>((set, scope) => intersect(set, index.inScope(scope)), fittingTarget(wanted))

  return {
    at: (slot: number): KnownSut | undefined => suts[slot],
    find: (id: string): KnownSut | undefined => known.get(id),
    /** Takes a SUT; undefined if it is retired. */
    put: (id: string, sut: Matchable | undefined): void => {
      const { slot } = sut === undefined ? findOrMake(id) : Object.assign(findOrMake(id), sut)
      if (sut === undefined) {
        suts[slot] = undefined
        known.delete(id)
        unused.push(slot)
      }
      index.put(slot, sut?.profile)
      changed(slot)
    },
    /** Changes the windows of a SUT, which is made if it is new. */
    changeWindows: (id: string, change: (windows: KnownWindows) => void): void => {
      const { slot, windows } = findOrMake(id)
      change(windows)
      changed(slot)
    },
    /** The SUTs of which a window can begin in a quarter. The set changes with them. */
    free,
    index,
    /** The SUTs that fit and are in all scopes. The set may change with them. */
    fitting,
    /** Whether a SUT fits, whatever its state. */
    isAnyFit: (wanted: Wanted): boolean => !isEmpty(fitting(wanted)),
  }
}

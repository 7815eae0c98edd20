import type { Sut } from '../../../projections/sut.ts'
import { type Profile, profileOf } from '../../domain/matching/fit.ts'
import { type KnownWindows, newWindows } from '../../domain/matching/openings.ts'
import { hashText } from '../../domain/matching/order.ts'
import { monitoredOf } from '../../domain/monitoring/status.ts'

/** Numbers of what has changed, for caches that catch up when they are used. */
interface ChangeLog {
  readonly note: (slot: number) => void
  /** How many were noted. */
  readonly size: () => number
  /** Returns a function that says what has changed since it was last called: every slot where that is not known any more. */
  readonly follow: () => () => Iterable<number>
}

/** Changes kept: making a cache anew costs less than catching up on more. */
const KEPT_MAX = 16_384

/** @param slots how many there are */
const makeChangeLog = (slots: () => number): ChangeLog => {
  let first = 0
  let kept: number[] = []
  return {
    note: (slot) => {
      if (kept.length === KEPT_MAX) {
        first += kept.length
        kept = []
      }
      kept.push(slot)
    },
    size: () => first + kept.length,
    follow: () => {
      let seen = first + kept.length
      return () => {
        const changed = seen < first ? Array(slots()).keys() : kept.slice(seen - first)
        seen = first + kept.length
        return changed
      }
    },
  }
}

/** A SUT that is not retired. */
export interface KnownSut {
  readonly _id: string
  readonly hash: number
  readonly windows: KnownWindows
  /** Undefined until its document is read. */
  profile: Profile | undefined
  isActive: boolean
  /** Active, and not known to be offline. */
  isBookable: boolean
  /** Seconds, in whole quarters. */
  turnaround: number
}

/** SUTs by slot: small numbers. That of a retired SUT is used again. */
export interface KnownSuts {
  readonly size: () => number
  readonly at: (slot: number) => KnownSut | undefined
  readonly find: (id: string) => KnownSut | undefined
  /** The slot of a SUT; undefined if it is not known. */
  readonly place: (id: string) => number | undefined
  /** The slot of a SUT, made if it is new. */
  readonly slotOf: (id: string) => number
  /** Takes the document of a SUT and its turnaround; undefined if it is retired. */
  readonly put: (id: string, sut: Sut | undefined, turnaround: number) => void
  /** The slots whose SUT has changed. */
  readonly changes: ChangeLog
  /** The slots whose windows have changed. */
  readonly moves: ChangeLog
}

export const makeKnownSuts = (): KnownSuts => {
  const slots = new Map<string, number>()
  const suts: (KnownSut | undefined)[] = []
  const free: number[] = []
  const [changes, moves] = [makeChangeLog(() => suts.length), makeChangeLog(() => suts.length)]

  const slotOf = (_id: string): number => {
    const known = slots.get(_id)
    if (known !== undefined) return known
    const slot = free.pop() ?? suts.length
    slots.set(_id, slot)
    const unread = { profile: undefined, isActive: false, isBookable: false, turnaround: 0 }
    suts[slot] = { _id, hash: hashText(_id), windows: newWindows(), ...unread }
    return slot
  }

  return {
    size: () => suts.length,
    at: (slot) => suts[slot],
    find: (id) => suts[slots.get(id) ?? -1],
    place: (id) => slots.get(id),
    slotOf,
    put: (id, document, turnaround) => {
      const slot = slotOf(id)
      const sut = suts[slot] as KnownSut
      if (document === undefined) {
        suts[slot] = undefined
        slots.delete(id)
        free.push(slot)
      } else {
        sut.profile = profileOf(document, document.tags)
        sut.turnaround = turnaround
        sut.isActive = document.is_active
        sut.isBookable = document.is_active && monitoredOf(document.monitoring) !== 'offline'
      }
      changes.note(slot)
      moves.note(slot)
    },
    changes,
    moves,
  }
}

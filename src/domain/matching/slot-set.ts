/** A set of SUTs by their slots, which are small numbers: one bit each. */
export type SlotSet = Uint32Array<ArrayBuffer>

const BITS = 32

export const emptySet = (slots: number): SlotSet => new Uint32Array(Math.ceil(slots / BITS))

export const hasSlot = (set: SlotSet, slot: number): boolean => (((set[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1

export const setSlot = (set: SlotSet, slot: number, isIn: boolean): void => {
  const bit = 1 << (slot & 31)
  const bits = set[slot >>> 5] as number
  set[slot >>> 5] = isIn ? bits | bit : bits & ~bit
}

/** Keeps the slots that are in another set, or those that are not. */
export const retain = (set: SlotSet, other: SlotSet, isIn: boolean): void => {
  for (let n = 0; n < set.length; n++) {
    const bits = other[n] ?? 0
    set[n] = (set[n] as number) & (isIn ? bits : ~bits)
  }
}

export const intersect = (a: SlotSet, b: SlotSet): SlotSet => {
  const common = a.slice(0, Math.min(a.length, b.length))
  retain(common, b, true)
  return common
}

export const haveCommonSlot = (a: SlotSet, b: SlotSet): boolean => {
  const length = Math.min(a.length, b.length)
  for (let n = 0; n < length; n++) if (((a[n] as number) & (b[n] as number)) !== 0) return true
  return false
}

export const isEmpty = (set: SlotSet): boolean => set.every((bits) => bits === 0)

export function* slotsIn(set: SlotSet): Generator<number> {
  for (let n = 0; n < set.length; n++) {
    for (let bits = set[n] as number; bits !== 0; bits &= bits - 1) yield n * BITS + (31 - Math.clz32(bits & -bits))
  }
}

export const sizeOf = (set: SlotSet): number => {
  let size = 0
  for (const _ of slotsIn(set)) size++
  return size
}

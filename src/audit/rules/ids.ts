import type { Report } from './streams.ts'

const INITIAL_PLACES = 1_024

const hashWords = (a: number, b: number, c: number, d: number): number => {
  let mixed = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ Math.imul(c, 0xc2b2ae35), 0x27d4eb2f)
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ d, 0x165667b1)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/**
 * A set of 128-bit ids: an open-addressing table, at most half full, 16 bytes per slot. A million ids take 32 megabytes.
 *
 * @param hasMarks whether the fourth word is no part of the id, but a number of its own
 */
const makeTable = (hasMarks: boolean) => {
  let places = INITIAL_PLACES
  let words = new Uint32Array(4 * places)
  let count = 0

  /** Slot of the id, or the free slot for it. */
  const placeOf = (a: number, b: number, c: number, d: number): number => {
    for (let place = hashWords(a, b, c, hasMarks ? 1 : d) & (places - 1); ; place = (place + 1) & (places - 1)) {
      const at = 4 * place
      const first = words[at]
      const fourth = words[at + 3]
      const isFree = first === 0 && words[at + 1] === 0 && words[at + 2] === 0 && fourth === 0
      if (isFree) return at
      if (first === a && words[at + 1] === b && words[at + 2] === c && (hasMarks || fourth === d)) return at
    }
  }

  const put = (at: number, a: number, b: number, c: number, d: number): void => {
    words[at] = a
    words[at + 1] = b
    words[at + 2] = c
    words[at + 3] = d
  }

  const grow = (): void => {
    const old = words
    places *= 2
    words = new Uint32Array(4 * places)
    for (let at = 0; at < old.length; at += 4) {
      const [a, b, c, d] = [old[at], old[at + 1], old[at + 2], old[at + 3]] as [number, number, number, number]
      if (a !== 0 || b !== 0 || c !== 0 || d !== 0) put(placeOf(a, b, c, d), a, b, c, d)
    }
  }

  return {
    /** Adds an id, given as four words that are not all 0. Returns whether it is new. */
    add: (a: number, b: number, c: number, d: number): boolean => {
      const at = placeOf(a, b, c, d)
      if ((words[at] as number) !== 0 || words[at + 1] !== 0 || words[at + 2] !== 0 || words[at + 3] !== 0) return false
      put(at, a, b, c, d)
      count++
      if (2 * count > places) grow()
      return true
    },
    find: (a: number, b: number, c: number): number | undefined => words[placeOf(a, b, c, 0) + 3] || undefined,
    change: (a: number, b: number, c: number, tag: number): void => {
      words[placeOf(a, b, c, 0) + 3] = tag
    },
  }
}

export const makeSeenIds = () => makeTable(false)

type SeenIds = Pick<ReturnType<typeof makeTable>, 'add'>

const HEX = new Int8Array(128).fill(-1)
for (let digit = 0; digit < 16; digit++) HEX['0123456789abcdef'.charCodeAt(digit)] = digit

/** Parses up to 8 lower-case hex digits; NaN for anything else. */
const hexAt = (text: string, from: number, to: number): number => {
  let word = 0
  for (let at = from; at < to; at++) {
    const digit = HEX[text.charCodeAt(at)] ?? -1
    if (digit < 0) return Number.NaN
    word = word * 16 + digit
  }
  return word
}

/** The three words of an id of 96 bits. */
const wordsOf = (_id: string): readonly [high: number, middle: number, low: number] => [
  hexAt(_id, 0, 8),
  hexAt(_id, 8, 16),
  hexAt(_id, 16, 24),
]

/** Ids of 96 bits, each with a number that is not 0. */
export const makeAssignedIds = () => {
  const { add, find, change } = makeTable(true)
  return {
    /** Adds an id with its number. Returns whether the id is new. */
    add: (_id: string, tag: number): boolean => add(...wordsOf(_id), tag),
    find: (_id: string): number | undefined => find(...wordsOf(_id)),
    /** Gives an id that was added another number. */
    change: (_id: string, tag: number): void => change(...wordsOf(_id), tag),
  }
}

export type AssignedIds = ReturnType<typeof makeAssignedIds>

const [DASH, SEVEN] = ['-'.charCodeAt(0), '7'.charCodeAt(0)]

export const judgeId = (id: string, time: number, seen: SeenIds, report: Report): void => {
  const [a, b, c, d] = [hexAt(id, 0, 8), hexAt(id, 9, 13), hexAt(id, 14, 18), hexAt(id, 19, 23)]
  const [e, f] = [hexAt(id, 24, 28), hexAt(id, 28, 36)]
  const hasDashes =
    id.charCodeAt(8) === DASH && id.charCodeAt(13) === DASH && id.charCodeAt(18) === DASH && id.charCodeAt(23) === DASH
  const isHex = a + b + c + d + e + f >= 0
  if (!isHex || !hasDashes || id.charCodeAt(14) !== SEVEN || d >>> 14 !== 2) {
    report(`has an id that is not a UUID of version 7, ${id}`)
    return
  }
  if (a * 65_536 + b !== time) report(`has an id that does not begin with its time, ${id}`)
  if (!seen.add(a, b * 65_536 + c, d * 65_536 + e, f)) report(`has the id of an earlier event, ${id}`)
}

/** Assigned ids begin with the second they were assigned. */
export const beginsWithSecond = (_id: string, time: number): boolean =>
  hexAt(_id, 0, 8) === Math.floor(time / 1_000) % 2 ** 32

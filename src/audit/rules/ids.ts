/** Ids of up to 128 bits that have been seen, at 16 bytes each in twice as many places: a million take 32 megabytes. */
export interface SeenIds {
  /** Whether an id is seen for the first time. Takes it in four words, of which not all are 0. */
  readonly add: (a: number, b: number, c: number, d: number) => boolean
}

const INITIAL_PLACES = 1_024

const hashWords = (a: number, b: number, c: number, d: number): number => {
  let mixed = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ Math.imul(c, 0xc2b2ae35), 0x27d4eb2f)
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ d, 0x165667b1)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

export const makeSeenIds = (): SeenIds => {
  let places = INITIAL_PLACES
  let words = new Uint32Array(4 * places)
  let count = 0

  /** Where the id is, or would be. */
  const placeOf = (a: number, b: number, c: number, d: number): number => {
    for (let place = hashWords(a, b, c, d) & (places - 1); ; place = (place + 1) & (places - 1)) {
      const at = 4 * place
      const first = words[at]
      if (first === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return at
      if (first === 0 && words[at + 1] === 0 && words[at + 2] === 0 && words[at + 3] === 0) return at
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
    add: (a, b, c, d) => {
      const at = placeOf(a, b, c, d)
      if ((words[at] as number) !== 0 || words[at + 1] !== 0 || words[at + 2] !== 0 || words[at + 3] !== 0) return false
      put(at, a, b, c, d)
      count++
      if (2 * count > places) grow()
      return true
    },
  }
}

const HEX = new Int8Array(128).fill(-1)
for (let digit = 0; digit < 16; digit++) HEX['0123456789abcdef'.charCodeAt(digit)] = digit

/** The lower-case hex digits of a stretch of up to 8 as a number; NaN where there are others. */
export const hexAt = (text: string, from: number, to: number): number => {
  let word = 0
  for (let at = from; at < to; at++) {
    const digit = HEX[text.charCodeAt(at)] ?? -1
    if (digit < 0) return Number.NaN
    word = word * 16 + digit
  }
  return word
}

/** Character classes as explicit ranges, which all regex dialects read alike. */

/** Code points, both ends included. */
type Range = readonly [from: number, to: number]

const LAST = 0x10ffff
const SURROGATES: Range = [0xd800, 0xdfff]

/** Single code points, one a range. */
const each = (...codes: readonly number[]): readonly Range[] => codes.map((code) => [code, code])

export const CONTROL: readonly Range[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
]
export const CONTROL_BUT_LINES: readonly Range[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
]

const NONCHARACTERS: readonly Range[] = [
  [0xfdd0, 0xfdef],
  ...Array.from({ length: 17 }, (_, plane): Range => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]),
]

/**
 * Invisible characters: controls, format characters, line separators, private use. Unassigned code points are not
 * included, since that set changes with the Unicode version.
 */
export const INVISIBLE: readonly Range[] = [
  ...CONTROL,
  ...NONCHARACTERS,
  ...each(0x00ad, 0x061c, 0x06dd, 0x070f, 0x08e2, 0x180e, 0xfeff, 0x110bd, 0x110cd, 0xe0001),
  [0x0600, 0x0605],
  [0x0890, 0x0891],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfff9, 0xfffb],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0020, 0xe007f],
  [0xe000, 0xf8ff],
  [0xf0000, 0xfffff],
  [0x100000, LAST],
]

/**
 * Letters, marks and symbols that show nothing: the property Default_Ignorable_Code_Point, which is stable, and the blank
 * of Braille. Text differs by them without looking different. Ids in the log may have them.
 */
export const DEFAULT_IGNORABLE: readonly Range[] = [
  ...each(0x00ad, 0x034f, 0x061c, 0x2800, 0x3164, 0xfeff, 0xffa0),
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfff0, 0xfff8],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

/** White space (the property White_Space) that is not among the invisible characters. */
export const WHITE_SPACE: readonly Range[] = [...each(0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000), [0x2000, 0x200a]]

export const single = (character: string): Range => [character.charCodeAt(0), character.charCodeAt(0)]

const escapeInClass = (code: number): string => {
  const character = String.fromCodePoint(code)
  return /[\\\]^-]/.test(character) ? `\\${character}` : character
}

/** The content of a character class that matches everything except these ranges and surrogates. */
export const classExcluding = (refused: readonly Range[]): string => {
  let next = 0
  let text = ''
  for (const [from, to] of [...refused, SURROGATES].toSorted(([a], [b]) => a - b)) {
    if (from > next) text += `${escapeInClass(next)}-${escapeInClass(from - 1)}`
    next = Math.max(next, to + 1)
  }
  return next > LAST ? text : `${text}${escapeInClass(next)}-${escapeInClass(LAST)}`
}

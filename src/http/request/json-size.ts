const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20

/** Arrays and objects within each other; no body that is taken needs more than two. */
export const DEPTH_MAX = 32
/** Members of objects and elements of arrays, all together; no body that is taken needs more than a hundred. */
export const MEMBERS_MAX = 10_000

const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d

const isPast = (json: Buffer, byte: number, count: number): boolean => {
  let seen = 0
  for (let at = json.indexOf(byte); at !== -1 && seen <= count; at = json.indexOf(byte, at + 1)) seen++
  return seen > count
}

/** Nearly every body is so short and has so few brackets; to know that costs less than reading it. */
const isSmall = (json: Buffer): boolean =>
  json.length <= MEMBERS_MAX && !isPast(json, 0x5b, DEPTH_MAX / 2) && !isPast(json, 0x7b, DEPTH_MAX / 2)

/**
 * What of a JSON text is more than is parsed: seen in one pass, which goes no further than there. Says nothing of whether it
 * is JSON at all.
 */
export const excessOf = (json: Buffer): 'levels' | 'members' | undefined => {
  if (isSmall(json)) return undefined
  let depth = 0
  let members = 0
  let isInString = false
  /** Whether the last byte that counts opened something: what comes next is its first member, or its end. */
  let isOpened = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (isInString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) isInString = false
      continue
    }
    if (byte <= SPACE) continue
    const closes = isClosing(byte)
    if ((isOpened && !closes) || byte === COMMA) {
      if (++members > MEMBERS_MAX) return 'members'
    }
    isOpened = isOpening(byte)
    if (byte === QUOTE) isInString = true
    else if (isOpened && ++depth > DEPTH_MAX) return 'levels'
    else if (closes) depth--
  }
  return undefined
}

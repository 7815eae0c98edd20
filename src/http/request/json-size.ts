const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20

/** Nesting depth; no accepted body needs more than two levels. */
export const DEPTH_MAX = 32
/** Members of objects and elements of arrays in total. An import of users needs about half, other bodies a hundred. */
export const MEMBERS_MAX = 10_000

const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d

/** Which limit a JSON text exceeds, found in one pass that stops there. Does not validate the JSON. */
export const excessOf = (json: Buffer): 'levels' | 'members' | undefined => {
  let depth = 0
  let members = 0
  let isInString = false
  /** Whether the last significant byte opened an array or object: next comes its first member, or its end. */
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

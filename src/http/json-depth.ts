const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: readonly number[] = [0x5b, 0x7b]
const CLOSING: readonly number[] = [0x5d, 0x7d]

const isPast = (json: Buffer, byte: number, count: number): boolean => {
  let seen = 0
  for (let at = json.indexOf(byte); at !== -1 && seen <= count; at = json.indexOf(byte, at + 1)) seen++
  return seen > count
}

/** Whether arrays and objects stand within each other deeper than this. Says nothing of whether it is JSON at all. */
export const isDeeperThan = (depthMax: number, json: Buffer): boolean => {
  // Nearly every body has too few brackets for that, and counting costs less than reading.
  if (!OPENING.some((byte) => isPast(json, byte, depthMax / 2))) return false
  let depth = 0
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) {
      if (byte === BACKSLASH) i++
    } else if (OPENING.includes(byte)) {
      if (++depth > depthMax) return true
    } else if (CLOSING.includes(byte)) depth--
  }
  return false
}

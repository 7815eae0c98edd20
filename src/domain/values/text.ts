const ESCAPES: Readonly<Record<string, string>> = { '\u2028': '\\u2028', '\u2029': '\\u2029' }

/**
 * JSON with the line separators of Unicode as escapes, which mean the same. Many readers of lines split at them, and
 * old scripts take them for the end of a line. Costs nothing for texts of one byte a character.
 */
export const escapeLineSeparators = (json: string): string =>
  json.replace(/[\u2028\u2029]/g, (separator) => ESCAPES[separator] as string)

/** JSON in UTF-8 without the byte order mark that programs on Windows add (RFC 8259, section 8.1). */
export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Decodes a percent-encoded text. Undefined if a percent sign is not followed by the encoding of a character. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

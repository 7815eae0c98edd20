/** Decodes a percent-encoded text. Undefined if a percent sign is not followed by the encoding of a character. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

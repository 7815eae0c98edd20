/** A public position as headers, the feed and histories write it: 20 decimal digits, so that text sorts like numbers. */
export const formatPosition = (position: number): string => String(position).padStart(20, '0')

export const POSITION = /^\d{20}$/

/** Undefined where the text is no position. */
export const parsePosition = (text: string): number | undefined => {
  const position = Number(text)
  return POSITION.test(text) && Number.isSafeInteger(position) ? position : undefined
}

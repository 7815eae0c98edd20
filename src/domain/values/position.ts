/** A public position as headers, the feed and histories write it: 20 decimal digits, so that text sorts like numbers. */
export const formatPosition = (position: number): string => String(position).padStart(20, '0')

export const POSITION = /^[0-9]{20}$/

/** As a request may write it: without the zeros in front. */
export const POSITION_IN_REQUEST = /^[0-9]{1,20}$/

/** Undefined where the text is no position, or one that no log comes to. */
export const parsePosition = (text: string): number | undefined => {
  const position = Number(text)
  return POSITION_IN_REQUEST.test(text) && Number.isSafeInteger(position) ? position : undefined
}

/**
 * Formats a public position for headers, the feed and histories: 20 decimal digits, so that text order is numeric
 * order.
 */
export const formatPosition = (position: number): string => String(position).padStart(20, '0')

export const POSITION = /^[0-9]{20}$/

/** In requests, leading zeros are optional. */
export const POSITION_IN_REQUEST = /^[0-9]{1,20}$/

/** Undefined if the text is not a position or exceeds the largest possible one. */
export const parsePosition = (text: string): number | undefined => {
  const position = Number(text)
  return POSITION_IN_REQUEST.test(text) && Number.isSafeInteger(position) ? position : undefined
}

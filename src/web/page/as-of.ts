import { formatDay, formatNumber, formatSecond } from '../format/format.ts'

export interface AsOf {
  /** What `as_of` is sent as: a position, or a time. */
  readonly value: string
  /** Unix milliseconds. */
  readonly time: number
}

export const asOfTime = (time: number): AsOf => ({ value: new Date(time).toISOString(), time })

/** `Tue 24 Nov 2026, 18:00:00`, with the entry if it is one. */
export const asOfText = ({ value, time }: AsOf): string => {
  const text = `${formatDay(time)} ${new Date(time).getFullYear()}, ${formatSecond(time)}`
  return /^\d+$/.test(value) ? `${text}, after entry ${formatNumber(Number(value))}` : text
}

export const isBy = ({ value, time }: AsOf, entry: { readonly sequence: string; readonly time: string }): boolean =>
  /^\d+$/.test(value) ? Number(entry.sequence) <= Number(value) : Date.parse(entry.time) <= time

const READS = /^\/api\/sut(_reservation)?(\/[^/?]+)?(\?|$)/

const ONLY_NOW = /([?&])include=settings(&|$)/

export const pathAsOf = (path: string, { value }: AsOf): string => {
  if (!READS.test(path)) return path
  const asked = path.replace(ONLY_NOW, '$1').replace(/[?&]$/, '')
  return `${asked}${asked.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(value)}`
}

import { formatDay, formatNumber, formatSecond } from '../format/format.ts'

/** A moment of the log's past, as which the lab is seen. Pure. */
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

/** Whether something had been recorded by then. */
export const isBy = ({ value, time }: AsOf, entry: { readonly sequence: string; readonly time: string }): boolean =>
  /^\d+$/.test(value) ? Number(entry.sequence) <= Number(value) : Date.parse(entry.time) <= time

/** The reads that can be made as of the past. */
const READS = /^\/api\/sut(_reservation)?(\/[^/?]+)?(\?|$)/

/** What is known only as it is now. */
const ONLY_NOW = /([?&])include=settings(&|$)/

/** The path of a read as of a moment; any other as it is. */
export const pathAsOf = (path: string, { value }: AsOf): string => {
  if (!READS.test(path)) return path
  const asked = path.replace(ONLY_NOW, '$1').replace(/[?&]$/, '')
  return `${asked}${asked.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(value)}`
}

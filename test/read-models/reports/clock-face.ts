/** The buckets of minutes, read from the clock face that Intl shows. */

import type { BucketSize } from '../../../src/domain/calendar/buckets.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, string>()

const read = (moment: number, timeZone: string): Readonly<Record<string, string>> => {
  const options = { hourCycle: 'h23', timeZoneName: 'longOffset', weekday: 'short' } as const
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' } as const
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, ...numbers, ...options })
  formats.set(timeZone, format)
  return Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]))
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const face = (moment: number, size: BucketSize, timeZone: string): string => {
  const { year, month, day, hour, weekday = '', timeZoneName = '' } = read(moment, timeZone)
  const date = `${year}-${month}-${day}`
  if (size === 'day') return date
  if (size === 'month') return `${year}-${month}`
  if (size === 'hour') return `${date}T${hour} ${timeZoneName.replace('GMT', '') || '+00:00'}`
  return new Date(Date.parse(date) - DAYS.indexOf(weekday) * 86_400_000).toISOString().slice(0, 10)
}

/** What tells the bucket of a moment from others: a date, a month, or an hour with its offset. */
export const bucketFace = (moment: number, size: BucketSize, timeZone: string): string => {
  if (size === 'none') return 'all'
  const key = `${moment} ${size} ${timeZone}`
  const shown = known.get(key) ?? face(moment, size, timeZone)
  known.set(key, shown)
  return shown
}

/** The same of the name of a bucket. */
export const faceOfName = (name: string | null, size: BucketSize): string => {
  if (name === null) return 'all'
  if (size === 'hour') return `${name.slice(0, 13)} ${name.slice(19)}`
  return name.slice(0, size === 'month' ? 7 : 10)
}

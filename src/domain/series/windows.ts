import { Temporal } from 'temporal-polyfill'
import { alignToGrid, type ResolvedWindow } from '../calendar/window.ts'
import type { OffsetTime } from '../values/instant.ts'

/** The first window of a series as it was asked for, and the zone whose wall clock it keeps. */
export interface FirstWindow {
  readonly start: OffsetTime
  readonly end: OffsetTime
  readonly timeZone: string
}

/** The name of a zone of the IANA time zone database, in its case, if Temporal knows it. Temporal also takes offsets. */
export const findTimeZone = (name: string): string | undefined => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return undefined
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return timeZoneId.toLowerCase() === name.toLowerCase() ? timeZoneId : undefined
  } catch {
    return undefined
  }
}

const toOffsetTime = (zoned: Temporal.ZonedDateTime): OffsetTime => ({
  instant: zoned.toInstant(),
  offset: Math.round(zoned.offsetNanoseconds / 60_000_000_000),
})

/** Where a rule begins, in Unix milliseconds: a rule has whole seconds. */
export const ruleStart = ({ start }: FirstWindow): number => Math.floor(start.instant.epochMilliseconds / 1000) * 1000

/** Makes the window that keeps the wall clock of the first one, from the start of an occurrence in Unix milliseconds. */
export const makeWindowAt = (first: FirstWindow): ((start: number) => ResolvedWindow) => {
  const { timeZone } = first
  const [from, to] = [first.start, first.end].map(({ instant }) =>
    instant.toZonedDateTimeISO(timeZone).toPlainDateTime(),
  ) as [Temporal.PlainDateTime, Temporal.PlainDateTime]
  const length = from.until(to)
  const fraction = Number(first.start.instant.epochNanoseconds - BigInt(ruleStart(first)) * 1_000_000n)
  return (occurrence) => {
    const at = Temporal.Instant.fromEpochMilliseconds(occurrence).add({ nanoseconds: fraction })
    const start = at.toZonedDateTimeISO(timeZone)
    // An end that the clock skips is moved on by what it skips. Of two moments, the first is the end.
    const end = start.toPlainDateTime().add(length).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    const gridded = alignToGrid(at, end.toInstant())
    return { start: toOffsetTime(start), end: toOffsetTime(end), gridded }
  }
}

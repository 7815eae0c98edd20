/** When a machine was not there. Pure: instants are Unix milliseconds. */

import { formatCount, formatDuration, formatPercent, formatWhen, MINUTE } from '../../format/format.ts'
import type { Schemas } from '../../service/api.ts'
import { causeText } from '../events/causes.ts'
import { overlaps, type Stretch } from '../schedule/calendar.ts'
import type { Outage } from '../schedule/cells.ts'

export interface Uptime {
  /** The end of one that lasts is the end of what was asked for. */
  readonly outages: readonly Outage[]
  /** Where it was not monitored, or not probed yet. */
  readonly unknown: readonly Stretch[]
}

export const uptimeOf = ({ outages, unknown }: Schemas['Outages'], end: number): Uptime => ({
  outages: outages.map(({ from, to, cause }) => ({
    ...{ from: Date.parse(from), to: to === null ? end : Date.parse(to), cause },
    isOpen: to === null,
  })),
  unknown: unknown.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
})

/** What of a span stretches cover, in milliseconds. Stretches do not overlap. */
const covered = (stretches: readonly Stretch[], { from, to }: Stretch): number =>
  stretches.reduce((sum, each) => sum + Math.max(0, Math.min(each.to, to) - Math.max(each.from, from)), 0)

type Slot = 'up' | 'down' | 'unknown'

/**
 * A span in equal slots. An outage of any length makes its slot `down`, so that none is overlooked; a slot of which
 * less than half is known is `unknown`.
 */
export const slotsOf = ({ outages, unknown }: Uptime, span: Stretch, count: number): readonly Slot[] => {
  const length = (span.to - span.from) / count
  return Array.from({ length: count }, (_, n): Slot => {
    const slot = { from: span.from + n * length, to: span.from + (n + 1) * length }
    if (outages.some((outage) => overlaps(outage, slot))) return 'down'
    return covered(unknown, slot) > length / 2 ? 'unknown' : 'up'
  })
}

/** The share of what is known in which it was there, from 0 to 1; undefined if nothing is known. */
const shareUp = ({ outages, unknown }: Uptime, span: Stretch): number | undefined => {
  const known = span.to - span.from - covered(unknown, span)
  return known <= 0 ? undefined : Math.max(0, 1 - covered(outages, span) / known)
}

/** The share of a span that may be unknown where a whole span is spoken of: an hour of a day. */
const UNKNOWN_SHARE = 1 / 24

/** `99.8%`, never 100% after an outage; `since 15:03` where only that is known, and nothing where nothing is. */
export const upText = (uptime: Uptime, span: Stretch): string => {
  const [share, since] = [shareUp(uptime, span), uptime.unknown.at(-1)?.to]
  const isPart = covered(uptime.unknown, span) > UNKNOWN_SHARE * (span.to - span.from)
  if (share === 1 && isPart && since !== undefined) return `since ${formatWhen(since, span.to)}`
  return share === undefined ? '' : formatPercent(share === 1 ? 1 : Math.min(0.999, share))
}

/** `from Tue 16:56 for 6 m: it refused the connection`. */
export const outageText = ({ from, to, cause, isOpen }: Outage, now: number): string => {
  const length = to - from < MINUTE ? 'less than 1 m' : formatDuration(to - from)
  const long = isOpen ? `since ${formatWhen(from, now)}` : `from ${formatWhen(from, now)} for ${length}`
  return `${long}: ${causeText(cause)}`
}

/** `Offline once in 24 h, from Tue 16:56 for 6 m: it refused the connection.` */
export const outagesText = ({ outages, unknown }: Uptime, span: string, now: number): string => {
  const [first] = outages
  const since = unknown.at(-1)?.to
  if (first === undefined)
    return since === undefined ? `No outages in the last ${span}.` : `No outages since ${formatWhen(since, now)}.`
  if (outages.length === 1) return `Offline once in ${span}, ${outageText(first, now)}.`
  const whole = outages.reduce((sum, { from, to }) => sum + to - from, 0)
  return `Offline ${formatCount(outages.length, 'time')} in ${span}, for ${formatDuration(whole)} in all.`
}

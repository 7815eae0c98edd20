/** Why none of a series was booked, in the page's words. Pure. */

import type { Problem } from '../../service/api.ts'

/** Instead of `detail`, which speaks of rules and fields. */
const TEXTS: Readonly<Record<string, string>> = {
  reservation_conflict: 'Some dates are taken, so nothing was booked.',
  window_too_far: 'The last dates are too far ahead. Choose fewer.',
  series_too_long: 'These are too many dates. Choose fewer.',
  series_too_short: 'Only one date is near enough to be booked. Reserve it without repeating.',
  series_overlaps: 'The dates would overlap, or the machine needs its turnaround between them. Choose a shorter time.',
  series_start_mismatch: 'The clocks change on the first date. Choose another time.',
}

export const seriesRefusalText = ({ code, detail }: Problem): string => TEXTS[code] ?? detail

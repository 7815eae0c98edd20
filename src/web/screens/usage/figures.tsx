import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDuration, formatNumber, formatPercent } from '../../format/format.ts'
import { hoursText } from './by-table.tsx'
import { shareOf, type UsageRow } from './usage-data.ts'
import { useDemand } from './use-usage.ts'

/** What matters most, in large numbers. */
export const Figures = ({ row, period }: { readonly row: UsageRow; readonly period: Stretch }) => {
  const share = shareOf(row)
  const longest = useDemand(period, 'none').value?.[0]?.waited_longest_seconds ?? 0
  const all: readonly (readonly [value: string | false, text: string])[] = [
    [hoursText(row.held_seconds), 'reserved'],
    [
      row.used_seconds !== null && hoursText(row.used_seconds),
      share === undefined ? 'used' : `used, ${formatPercent(share)}`,
    ],
    [formatNumber(row.reservations), 'reservations'],
    [row.unused_reservations !== null && formatNumber(row.unused_reservations), 'booked, never used'],
    [hoursText(row.released_early_seconds), 'released early'],
    [formatDuration(longest * 1_000), 'longest wait'],
  ]
  return (
    <ul class="figures">
      {all.map(([value, text]) => {
        if (value === false) return undefined
        const [number, ...units] = value.split(' ')
        return (
          <li key={text}>
            <b>{number}</b> {units.join(' ')}
            <span class="second">{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

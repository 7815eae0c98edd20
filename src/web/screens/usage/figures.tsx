import { formatNumber, formatPercent } from '../../format/format.ts'
import { hoursText } from './by-table.tsx'
import { shareOf, type UsageRow } from './usage-data.ts'

/** What matters most, in large numbers. */
export const Figures = ({ row }: { readonly row: UsageRow }) => {
  const share = shareOf(row)
  const all: readonly (readonly [value: string, text: string])[] = [
    [hoursText(row.held_seconds), 'reserved'],
    ...(row.used_seconds === null
      ? []
      : [[hoursText(row.used_seconds), share === undefined ? 'used' : `used, ${formatPercent(share)}`] as const]),
    [formatNumber(row.reservations), 'reservations'],
    ...(row.unused_reservations === null
      ? []
      : [[formatNumber(row.unused_reservations), 'booked, never used'] as const]),
    [hoursText(row.released_early_seconds), 'released early'],
  ]
  return (
    <ul class="figures">
      {all.map(([value, text]) => (
        <li key={text}>
          <b>{value.split(' ')[0]}</b> {value.split(' ').slice(1).join(' ')}
          <span class="second">{text}</span>
        </li>
      ))}
    </ul>
  )
}

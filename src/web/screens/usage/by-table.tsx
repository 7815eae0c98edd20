import { useState } from 'preact/hooks'
import { formatHours, formatNumber, formatPercent } from '../../format/format.ts'
import { type Order, orderedBy } from '../../parts/show/order.ts'
import { type Column, Table } from '../../parts/show/table.tsx'
import { shareOf, type UsageRow } from './usage-data.ts'

type By = 'name' | 'held' | 'used' | 'share' | 'reservations' | 'unused' | 'cancelled' | 'early'

const NONE = <span class="muted">–</span>

const valueIn = (row: UsageRow, by: By): string | number | undefined =>
  ({
    ...{
      name: row.name ?? undefined,
      held: row.held_seconds,
      used: row.used_seconds ?? undefined,
      share: shareOf(row),
    },
    ...{ reservations: row.reservations, unused: row.unused_reservations ?? undefined },
    ...{ cancelled: row.cancelled, early: row.released_early_seconds },
  })[by]

/** `214 h`, `45 m`. */
export const hoursText = (seconds: number | null): string => {
  if (seconds === null) return '–'
  return seconds < 3_600 ? formatHours(seconds / 3_600) : `${formatNumber(Math.round(seconds / 3_600))} h`
}

const columnsOf = (title: string, most: number, onChoose: (row: UsageRow) => void): readonly Column<UsageRow, By>[] => [
  {
    ...{ title, by: 'name', width: '17%', class: 'clip' },
    cell: (row, link) =>
      row.key === null ? (
        'Without the tag'
      ) : (
        <button type="button" class="link clip" {...link} onClick={() => onChoose(row)}>
          <bdi>{row.name}</bdi>
        </button>
      ),
  },
  {
    ...{ title: 'Used of reserved', width: '18%' },
    cell: ({ held_seconds, used_seconds }) => (
      <span
        class="used-bar"
        style={{ '--held': held_seconds / most, '--used': (used_seconds ?? held_seconds) / most }}
        aria-hidden="true"
      />
    ),
  },
  { title: 'Reserved', by: 'held', isNumber: true, cell: ({ held_seconds }) => hoursText(held_seconds) },
  { title: 'Used', by: 'used', isNumber: true, cell: ({ used_seconds }) => hoursText(used_seconds) },
  {
    ...{ title: 'Share', by: 'share', isNumber: true, class: 'second' },
    cell: (row) => {
      const share = shareOf(row)
      return share === undefined ? NONE : formatPercent(share)
    },
  },
  { title: 'Reservations', by: 'reservations', isNumber: true, cell: (row) => formatNumber(row.reservations) },
  { title: 'Never used', by: 'unused', isNumber: true, cell: (row) => row.unused_reservations ?? NONE },
  { title: 'Cancelled', by: 'cancelled', isNumber: true, class: 'second', cell: (row) => row.cancelled },
  {
    ...{ title: 'Released early', by: 'early', isNumber: true, class: 'second' },
    cell: (row) => hoursText(row.released_early_seconds),
  },
]

interface Props {
  readonly label: string
  readonly title: string
  readonly rows: readonly UsageRow[]
  readonly onChoose: (row: UsageRow) => void
}

export const ByTable = ({ label, title, rows, onChoose }: Props) => {
  const [order, setOrder] = useState<Order<By>>({ by: 'held', isDescending: true })
  const most = Math.max(1, ...rows.map(({ held_seconds }) => held_seconds))
  return (
    <Table
      {...{ label, class: 'usage', box: 'usage-in', order, onOrder: setOrder, isWindowed: true }}
      rows={orderedBy(rows, order, valueIn, ({ name, key }) => [name ?? '', key ?? ''])}
      keyOf={({ key }) => key ?? ''}
      columns={columnsOf(title, most, onChoose)}
    />
  )
}

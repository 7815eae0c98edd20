import { useState } from 'preact/hooks'
import { formatHours, formatNumber, formatPercent } from '../../format/format.ts'
import { type Order, orderedBy } from '../../parts/show/order.ts'
import { type Column, Table } from '../../parts/show/table.tsx'
import { shareOf, type UsageRow } from './usage-data.ts'

const NONE = <span class="muted">–</span>

const VALUES = {
  name: ({ name }: UsageRow) => name ?? undefined,
  held: ({ held_seconds }: UsageRow) => held_seconds,
  used: ({ used_seconds }: UsageRow) => used_seconds ?? undefined,
  share: shareOf,
  reservations: ({ reservations }: UsageRow) => reservations,
  unused: ({ unused_reservations }: UsageRow) => unused_reservations ?? undefined,
  cancelled: ({ cancelled }: UsageRow) => cancelled,
  early: ({ released_early_seconds }: UsageRow) => released_early_seconds,
}
type By = keyof typeof VALUES

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
  readonly title: string
  readonly rows: readonly UsageRow[]
  readonly onChoose: (row: UsageRow) => void
}

export const ByTable = ({ title, rows, onChoose }: Props) => {
  const [order, setOrder] = useState<Order<By>>({ by: 'held', isDescending: true })
  const most = Math.max(1, ...rows.map(({ held_seconds }) => held_seconds))
  return (
    <Table
      {...{ label: `Usage by ${title}`, class: 'usage', box: 'usage-in', order, onOrder: setOrder, isWindowed: true }}
      rows={orderedBy(rows, order, VALUES, ({ name, key }) => [name ?? '', key ?? ''])}
      keyOf={({ key }) => key ?? ''}
      columns={columnsOf(title, most, onChoose)}
    />
  )
}

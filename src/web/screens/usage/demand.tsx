import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDuration, formatNumber } from '../../format/format.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { OverTime, type OverTimeColumn } from './over-time.tsx'
import { bucketSizeOf, type DemandRow, type RefusedOften, refusedOf } from './usage-data.ts'
import { useDemand } from './use-usage.ts'

interface Props {
  readonly period: Stretch
  readonly now: number
}

const waitText = (seconds = 0): string => formatDuration(seconds * 1_000)

const COLUMNS: readonly OverTimeColumn<DemandRow>[] = [
  { title: 'Requests', isNumber: true, cell: ({ row }) => formatNumber(row?.requests ?? 0) },
  { title: 'Granted', isNumber: true, cell: ({ row }) => formatNumber(row?.granted ?? 0) },
  { title: 'Expired', isNumber: true, cell: ({ row }) => formatNumber(row?.expired ?? 0) },
  { title: 'Withdrawn', isNumber: true, cell: ({ row }) => formatNumber(row?.withdrawn ?? 0) },
  { title: 'Waited', isNumber: true, cell: ({ row }) => waitText(row?.waited_seconds) },
  { title: 'Longest wait', isNumber: true, cell: ({ row }) => waitText(row?.waited_longest_seconds) },
]

/** How many had to wait for a machine. */
export const Waits = ({ period, now }: Props) => (
  <OverTime
    {...{ title: 'Waiting', period, now, reading: useDemand(period, bucketSizeOf(period)), unit: '' }}
    {...{ names: ['requests', 'granted'], legend: 'not granted', none: 'Nobody had to wait.', columns: COLUMNS }}
    valuesOf={({ requests, granted }) => [requests, granted]}
  />
)

const REFUSED: readonly Column<RefusedOften, never>[] = [
  { title: 'Why', class: 'clip', cell: ({ text }) => text },
  { title: 'Times', isNumber: true, width: '80px', cell: ({ count }) => formatNumber(count) },
]

/** What was refused, and how often. */
export const Refusals = ({ period }: Pick<Props, 'period'>) => (
  <Section title="Refused">
    <Loaded reading={useDemand(period, 'none')} what="The report" skeleton={4}>
      {(rows) => {
        const refused = refusedOf(rows)
        if (refused.length === 0) return <p class="muted">Nothing was refused.</p>
        return (
          <Table
            {...{ label: 'Refused', class: 'plain unused', columns: REFUSED, rows: refused.slice(0, 8) }}
            keyOf={({ text }) => text}
          />
        )
      }}
    </Loaded>
  </Section>
)

import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatNumber } from '../../format/format.ts'
import { Chip } from '../../parts/choose/chip.tsx'
import { hoursText } from './by-table.tsx'
import { OverTime, type OverTimeColumn } from './over-time.tsx'
import { bucketSizeOf, bucketsOf, type UsageRow } from './usage-data.ts'
import { useSeries } from './use-usage.ts'

interface Props {
  readonly period: Stretch
  readonly by: string
  readonly now: number
  /** How many machines, people or values there are. */
  readonly many: number
  /** The one that is plotted; undefined for all together. */
  readonly chosen: UsageRow | undefined
  readonly onAll: () => void
}

const COLUMNS: readonly OverTimeColumn<UsageRow>[] = [
  { title: 'Reserved', isNumber: true, cell: ({ row }) => hoursText(row?.held_seconds ?? 0) },
  { title: 'Used', isNumber: true, cell: ({ row }) => hoursText(row === undefined ? 0 : row.used_seconds) },
  { title: 'Reservations', isNumber: true, cell: ({ row }) => formatNumber(row?.reservations ?? 0) },
  { title: 'Never used', isNumber: true, cell: ({ row }) => formatNumber(row?.unused_reservations ?? 0) },
  { title: 'Released early', isNumber: true, cell: ({ row }) => hoursText(row?.released_early_seconds ?? 0) },
]

export const HoursPlot = ({ period, by, now, many, chosen, onAll }: Props) => {
  const bucket = bucketSizeOf(period)
  const reading = useSeries(period, { by, bucket, starts: bucketsOf(period, bucket, now), chosen, many })
  return (
    <OverTime
      {...{ title: `Hours a ${bucket}`, period, now, reading, unit: 'h', columns: COLUMNS }}
      {...{ names: ['reserved', 'used'], legend: 'reserved, not used', none: 'Nothing was reserved.' }}
      valuesOf={(row) => [row.held_seconds / 3_600, row.used_seconds && row.used_seconds / 3_600]}
    >
      {chosen && <Chip label={chosen.name ?? ''} icon="x" isOn onPress={onAll} />}
    </OverTime>
  )
}

import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatNumber } from '../../format/format.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { hoursText } from './by-table.tsx'
import { Plot, type PlotSeries } from './plot.tsx'
import { bucketSizeOf, bucketsOf, bucketText, rowsByBucket, shortBucketText, type UsageRow } from './usage-data.ts'
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

interface Row {
  readonly text: string
  readonly row: UsageRow | undefined
}

const hoursOf = (seconds: number | null | undefined): number => Math.round((seconds ?? 0) / 360) / 10

const COLUMNS: readonly Column<Row, never>[] = [
  { title: 'When', cell: ({ text }) => text },
  { title: 'Reserved', isNumber: true, cell: ({ row }) => hoursText(row?.held_seconds ?? 0) },
  { title: 'Used', isNumber: true, cell: ({ row }) => hoursText(row === undefined ? 0 : row.used_seconds) },
  { title: 'Reservations', isNumber: true, cell: ({ row }) => formatNumber(row?.reservations ?? 0) },
  { title: 'Never used', isNumber: true, cell: ({ row }) => formatNumber(row?.unused_reservations ?? 0) },
  { title: 'Released early', isNumber: true, cell: ({ row }) => hoursText(row?.released_early_seconds ?? 0) },
]

const seriesOf = (rows: readonly (UsageRow | undefined)[]): readonly PlotSeries[] => {
  const reserved = { name: 'reserved', isHatched: true, values: rows.map((row) => hoursOf(row?.held_seconds)) }
  const isKnown = rows.some((row) => row !== undefined && row.used_seconds !== null)
  return isKnown ? [reserved, { name: 'used', values: rows.map((row) => hoursOf(row?.used_seconds)) }] : [reserved]
}

/** Hours over time, as bars and as a table. */
export const HoursPlot = ({ period, by, now, many, chosen, onAll }: Props) => {
  const size = bucketSizeOf(period)
  const starts = bucketsOf(period, size, now)
  const reading = useSeries(period, { by, bucket: size, starts, chosen, many })
  const title = `Hours a ${size}`
  const content = (rows: readonly UsageRow[]) => {
    const ordered = rowsByBucket(rows, starts)
    const series = seriesOf(ordered)
    return (
      <>
        <Plot
          {...{ label: `${title}, also as a table below`, series, unit: 'h' }}
          marks={starts.map((start) => [shortBucketText(start), bucketText(start, size)])}
        />
        <details class="small">
          <summary class="second">As a table</summary>
          <Table
            {...{ label: title, class: 'plain', columns: COLUMNS, keyOf: ({ text }: Row) => text }}
            rows={ordered.map((row, n) => ({ row, text: bucketText(starts[n] as number, size) }))}
          />
        </details>
      </>
    )
  }
  const beside = (
    <span class="row wrap small second">
      {chosen && <Chip label={chosen.name ?? ''} icon="x" isOn onPress={onAll} />}
      <i class="swatch" /> used <i class="swatch hatched" /> reserved, not used
    </span>
  )
  return (
    <Section title={title} beside={beside}>
      <Loaded reading={reading} what="The usage" skeleton={<span class="sk plot" />}>
        {content}
      </Loaded>
    </Section>
  )
}

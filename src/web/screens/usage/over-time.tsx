import type { ComponentChildren } from 'preact'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDuration, formatNumber } from '../../format/format.ts'
import type { Reading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { hoursText } from './by-table.tsx'
import { Plot } from './plot.tsx'
import {
  bucketSizeOf,
  bucketsOf,
  bucketText,
  type DemandRow,
  rowsByBucket,
  shortBucketText,
  type UsageRow,
} from './usage-data.ts'
import { useDemand, useSeries } from './use-usage.ts'

interface Bucketed {
  readonly bucket: string | null
}

interface Line<R> {
  readonly text: string
  /** Undefined where it is nothing but 0. */
  readonly row: R | undefined
}

type Columns<R> = readonly Column<Line<R>, never>[]

interface Props<R extends Bucketed> {
  readonly title: string
  readonly period: Stretch
  readonly now: number
  readonly reading: Reading<readonly R[]>
  readonly unit: string
  /** What a bar is, and what a part of it in front. */
  readonly names: readonly [all: string, part: string]
  /** Null where the part cannot be known. */
  readonly valuesOf: (row: R) => readonly [all: number, part: number | null]
  readonly legend: string
  /** What is said where all is 0; it is drawn unless given. */
  readonly none?: string
  readonly columns: Columns<R>
  readonly children?: ComponentChildren
}

/** What reports say of each day or week: as bars and as a table. */
const OverTime = <R extends Bucketed>(props: Props<R>) => {
  const { title, period, now, reading, unit, names, valuesOf, legend, none, columns, children } = props
  const size = bucketSizeOf(period)
  const starts = bucketsOf(period, size, now)
  const content = (all: readonly R[]) => {
    const rows = rowsByBucket(all, starts)
    const values = rows.map((row) => (row === undefined ? ([0, 0] as const) : valuesOf(row)))
    if (none && values.every(([value]) => value === 0)) return <p class="muted">{none}</p>
    const isKnown = all.some((row) => valuesOf(row)[1] !== null)
    return (
      <>
        <Plot
          {...{ label: `${title}, also as a table below`, unit }}
          marks={starts.map((start) => [shortBucketText(start), bucketText(start, size)])}
          series={[
            { name: names[0], isHatched: true, values: values.map(([value]) => value) },
            ...(isKnown ? [{ name: names[1], values: values.map(([, value]) => value ?? 0) }] : []),
          ]}
        />
        <details class="small">
          <summary class="second">As a table</summary>
          <Table
            {...{ label: `${title}, as a table`, class: 'plain', keyOf: ({ text }: Line<R>) => text }}
            columns={[{ title: 'When', cell: ({ text }) => text }, ...columns]}
            rows={rows.map((row, n) => ({ row, text: bucketText(starts[n] as number, size) }))}
          />
        </details>
      </>
    )
  }
  const beside = (
    <span class="row wrap small second">
      {children}
      <i class="swatch" /> {names[1]} <i class="swatch hatched" /> {legend}
    </span>
  )
  return (
    <Section title={title} beside={beside}>
      <Loaded reading={reading} what="The report" skeleton={<span class="sk plot" />}>
        {content}
      </Loaded>
    </Section>
  )
}

const HOURS: Columns<UsageRow> = [
  { title: 'Reserved', isNumber: true, cell: ({ row }) => hoursText(row?.held_seconds ?? 0) },
  { title: 'Used', isNumber: true, cell: ({ row }) => hoursText(row === undefined ? 0 : row.used_seconds) },
  { title: 'Reservations', isNumber: true, cell: ({ row }) => formatNumber(row?.reservations ?? 0) },
  { title: 'Never used', isNumber: true, cell: ({ row }) => formatNumber(row?.unused_reservations ?? 0) },
  { title: 'Released early', isNumber: true, cell: ({ row }) => hoursText(row?.released_early_seconds ?? 0) },
]

interface HoursProps {
  readonly period: Stretch
  readonly by: string
  readonly now: number
  /** How many machines, people or values there are. */
  readonly many: number
  /** The one that is plotted; undefined for all together. */
  readonly chosen: UsageRow | undefined
  readonly onAll: () => void
}

export const Hours = ({ period, by, now, many, chosen, onAll }: HoursProps) => {
  const bucket = bucketSizeOf(period)
  const reading = useSeries(period, { by, bucket, starts: bucketsOf(period, bucket, now), chosen, many })
  return (
    <OverTime
      {...{ title: `Hours a ${bucket}`, period, now, reading, unit: 'h', columns: HOURS }}
      {...{ names: ['reserved', 'used'], legend: 'reserved, not used' }}
      valuesOf={(row) => [row.held_seconds / 3_600, row.used_seconds && row.used_seconds / 3_600]}
    >
      {chosen && <Chip label={chosen.name ?? ''} icon="x" isOn onPress={onAll} />}
    </OverTime>
  )
}

const waitText = (seconds = 0): string => formatDuration(seconds * 1_000)

const WAITS: Columns<DemandRow> = [
  { title: 'Requests', isNumber: true, cell: ({ row }) => formatNumber(row?.requests ?? 0) },
  { title: 'Granted', isNumber: true, cell: ({ row }) => formatNumber(row?.granted ?? 0) },
  { title: 'Expired', isNumber: true, cell: ({ row }) => formatNumber(row?.expired ?? 0) },
  { title: 'Withdrawn', isNumber: true, cell: ({ row }) => formatNumber(row?.withdrawn ?? 0) },
  { title: 'Waited', isNumber: true, cell: ({ row }) => waitText(row?.waited_seconds) },
  { title: 'Longest wait', isNumber: true, cell: ({ row }) => waitText(row?.waited_longest_seconds) },
]

/** How many had to wait for a machine. */
export const Waits = ({ period, now }: Pick<HoursProps, 'period' | 'now'>) => (
  <OverTime
    {...{ title: 'Waiting', period, now, reading: useDemand(period, bucketSizeOf(period)), unit: '' }}
    {...{ names: ['requests', 'granted'], legend: 'not granted', none: 'Nobody had to wait.', columns: WAITS }}
    valuesOf={({ requests, granted }) => [requests, granted]}
  />
)

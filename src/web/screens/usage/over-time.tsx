import type { ComponentChildren } from 'preact'
import type { Stretch } from '../../features/schedule/calendar.ts'
import type { Reading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { Plot } from './plot.tsx'
import { bucketSizeOf, bucketsOf, bucketText, rowsByBucket, shortBucketText } from './usage-data.ts'

interface Bucketed {
  readonly bucket: string | null
}

interface Line<R> {
  readonly text: string
  /** Undefined where it is nothing but 0. */
  readonly row: R | undefined
}

export type OverTimeColumn<R> = Column<Line<R>, never>

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
  readonly columns: readonly OverTimeColumn<R>[]
  readonly children?: ComponentChildren
}

/** What reports say of each day or week: as bars and as a table. */
export const OverTime = <R extends Bucketed>(props: Props<R>) => {
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

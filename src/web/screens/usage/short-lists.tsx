import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatCount, formatNumber } from '../../format/format.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { hoursText } from './by-table.tsx'
import { refusedOf, unusedOf } from './usage-data.ts'
import { useDemand, useUsage } from './use-usage.ts'

const MOST = 8

const tableOf = <R,>(label: string, keyOf: (row: R) => string, columns: readonly Column<R, never>[]) => ({
  ...{ label, class: 'plain unused', keyOf, columns },
})

const UNUSED = tableOf<ReturnType<typeof unusedOf>[number]>('Never used', ({ key }) => key, [
  {
    ...{ title: 'Machine', class: 'medium clip', width: '36%' },
    cell: ({ key, name }) => (
      <a href={linkTo('machines', key)}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { title: 'Why', class: 'second clip', cell: ({ text }) => text },
  { title: 'Reserved', class: 'second', isNumber: true, width: '80px', cell: ({ held }) => hoursText(held) },
])

const REFUSED = tableOf<ReturnType<typeof refusedOf>[number]>('Refused', ({ text }) => text, [
  { title: 'Why', class: 'clip', cell: ({ text }) => text },
  { title: 'Times', isNumber: true, width: '80px', cell: ({ count }) => formatNumber(count) },
])

/** Machines that nobody used. */
export const UnusedList = ({ period }: { readonly period: Stretch }) => {
  const suts = useMachines()
  return (
    <Section title="Never used">
      <Loaded reading={useUsage(period, 'sut', 'none')} what="The usage" skeleton={4}>
        {(rows) => {
          const all = unusedOf(rows, suts.values())
          if (all.length === 0) return <p class="muted">Every machine was used.</p>
          const more = all.length - MOST
          return (
            <>
              <Table {...UNUSED} rows={all.slice(0, MOST)} />
              {more > 0 && <p class="muted small under">And {formatCount(more, 'other machine')}.</p>}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** What was refused, and how often. */
export const Refusals = ({ period }: { readonly period: Stretch }) => (
  <Section title="Refused">
    <Loaded reading={useDemand(period, 'none')} what="The report" skeleton={4}>
      {(rows) => {
        const refused = refusedOf(rows)
        if (refused.length === 0) return <p class="muted">Nothing was refused.</p>
        return <Table {...REFUSED} rows={refused.slice(0, MOST)} />
      }}
    </Loaded>
  </Section>
)

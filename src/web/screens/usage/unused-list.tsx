import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatCount } from '../../format/format.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Section } from '../../parts/show/page.tsx'
import { type Column, Table } from '../../parts/show/table.tsx'
import { hoursText } from './by-table.tsx'
import { type Unused, unusedOf } from './usage-data.ts'
import { useUsage } from './use-usage.ts'

const MOST = 8

const COLUMNS: readonly Column<Unused, never>[] = [
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
]

/** Machines that nobody used. */
export const UnusedList = ({ period }: { readonly period: Stretch }) => {
  const reading = useUsage(period, 'sut', 'none')
  const suts = useMachines()
  return (
    <Section title="Never used">
      <Loaded reading={reading} what="The usage" skeleton={4}>
        {(rows) => {
          const all = unusedOf(rows, suts.values())
          if (all.length === 0) return <p class="muted">Every machine was used.</p>
          return (
            <>
              <Table
                {...{ label: 'Never used', class: 'plain unused', columns: COLUMNS, rows: all.slice(0, MOST) }}
                keyOf={({ key }) => key}
              />
              {all.length > MOST && (
                <p class="muted small under">And {formatCount(all.length - MOST, 'other machine')}.</p>
              )}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

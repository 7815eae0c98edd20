import { useMemo, useState } from 'preact/hooks'
import { dayOfTime } from '../../features/events/feed.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDuration, formatNumber, formatPercent, formatZone, midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { fromParameters } from '../../page/location.ts'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Segments } from '../../parts/choose/chip.tsx'
import { DayInput } from '../../parts/choose/day-input.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Page, Section } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { ByTable, hoursText } from './by-table.tsx'
import { Hours, Waits } from './over-time.tsx'
import { Refusals, UnusedList } from './short-lists.tsx'
import {
  asDates,
  bucketSizeOf,
  byOf,
  type Filter,
  NO_FILTER,
  periodOf,
  SPANS,
  type SpanName,
  shareOf,
  spanNameOf,
  type UsageRow,
} from './usage-data.ts'
import { reportQuery, useDemand, useUsage } from './use-usage.ts'
import { WeekUse } from './week-use.tsx'

interface FilterProps {
  readonly filter: Filter
  readonly period: Stretch
  readonly now: number
  readonly onChange: (change: Partial<Filter>) => void
}

const SpanBar = ({ filter, period, now, onChange }: FilterProps) => {
  const { api } = usePage()
  const command = useCommand()
  const span = spanNameOf(filter)
  const day = (name: 'from' | 'to', label: string) => (
    <DayInput
      {...{ label, near: now, direction: -1, day: name === 'from' ? period.from : midnightOf(period.to, -1) }}
      onDay={(time) => onChange({ [name]: time === undefined ? '' : dayOfTime(time) })}
    />
  )
  const choose = (next: SpanName): void =>
    onChange(next === 'dates' ? asDates(filter, now) : { span: next, from: '', to: '' })
  const download = () =>
    command.run(
      () => api.file(`/api/report/usage?${reportQuery(period, filter.by, bucketSizeOf(period))}`, 'text/csv'),
      ({ blob }) => saveFile(blob, 'usage.csv'),
    )
  return (
    <div class="row wrap usage-bar" role="search">
      <Segments label="Span" options={SPANS} value={span} onChange={choose} />
      {span === 'dates' && (
        <>
          {day('from', 'First day')}
          {day('to', 'Last day')}
        </>
      )}
      <CommandButton icon="download" label="CSV" command={command} onPress={download} />
      <RefusedNote refused={command.refused} />
    </div>
  )
}

const OTHERS = { sut: 'Machine', user: 'Person' }
const OWN = { sut: 'Machine', user: 'You' }

const ByBar = ({ filter: { by }, onChange }: Pick<FilterProps, 'filter' | 'onChange'>) => {
  const suts = useMachines()
  const isTester = meOf(usePage()).role === 'tester'
  const names = useMemo(() => [...new Set([...suts.values()].flatMap(({ tags }) => Object.keys(tags)))].sort(), [suts])
  const choices = names.map((name) => ({ key: `tag.${name}`, text: name, isChosen: by === `tag.${name}` }))
  const choose = (next: string): void => onChange({ by: next, key: '' })
  return (
    <span class="row">
      <Segments label="By" options={isTester ? OWN : OTHERS} value={by as keyof typeof OWN} onChange={choose} />
      {!isTester && choices.length > 0 && (
        <MenuChip label="Tag" choices={choices} isOn={by.startsWith('tag.')} onChoose={choose} />
      )}
    </span>
  )
}

const titleOf = (by: string): string => (by === 'sut' ? 'Machine' : by === 'user' ? 'Person' : by.replace(/^tag\./, ''))

const Content = ({ filter, period, now, onChange }: FilterProps) => {
  const { by } = filter
  const rows = useUsage(period, by, 'none')
  const chosen = rows.value?.find(({ key }) => key === filter.key)
  const title = titleOf(by)
  return (
    <>
      <Hours {...{ period, by, now, many: rows.value?.length ?? 0, chosen }} onAll={() => onChange({ key: '' })} />
      <Section title={`By ${title.toLowerCase()}`} beside={<ByBar filter={filter} onChange={onChange} />}>
        <Loaded reading={rows} what="The usage" skeleton={8}>
          {(all) =>
            all.length === 0 ? (
              <p class="muted">Nothing was reserved by you in these days.</p>
            ) : (
              <ByTable {...{ title, rows: all }} onChoose={({ key }) => onChange({ key: key ?? '' })} />
            )
          }
        </Loaded>
      </Section>
      <div class="usage-two">
        <WeekUse period={period} now={now} />
        <UnusedList period={period} />
      </div>
    </>
  )
}

/** How the lab is used, as the reports of the service say it. It is always of now, whatever moment is looked at. */
export const Usage = () => {
  const page = usePage()
  const [asked, setAsked] = useState(() => fromParameters(NO_FILTER, page.place.value.parameters))
  useFilterInAddress('usage', NO_FILTER, asked, setAsked)
  const filter = { ...asked, by: byOf(asked, meOf(page).role === 'tester') }
  const now = page.minute.value
  const period = periodOf(filter, now)
  const shared = { filter, period, now, onChange: (part: Partial<Filter>) => setAsked({ ...asked, ...part }) }
  const totals = useUsage(period, 'none', 'none')
  const isEmpty = useMachines().size === 0 && totals.value?.length === 0
  return (
    <Page title="Usage" beside={<span class="small muted">Days in {formatZone(now)}</span>}>
      <SpanBar {...shared} />
      <Loaded reading={totals} what="The usage" skeleton={8}>
        {([row]) => {
          if (isEmpty) return <NoMachines />
          return (
            <>
              {row === undefined ? (
                <StateBlock icon="chart" title="No reservations" text="Nothing was reserved in these days." />
              ) : (
                <>
                  <Figures row={row} period={period} />
                  <Content {...shared} />
                </>
              )}
              <div class="usage-two">
                <Waits period={period} now={now} />
                <Refusals period={period} />
              </div>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** What matters most, in large numbers. */
const Figures = ({ row, period }: { readonly row: UsageRow; readonly period: Stretch }) => {
  const share = shareOf(row)
  const longest = useDemand(period, 'none').value?.[0]?.waited_longest_seconds ?? 0
  const { used_seconds: used, unused_reservations: unused } = row
  const all = [
    [hoursText(row.held_seconds), 'reserved'],
    ...(used === null ? [] : [[hoursText(used), share === undefined ? 'used' : `used, ${formatPercent(share)}`]]),
    [formatNumber(row.reservations), 'reservations'],
    ...(unused === null ? [] : [[formatNumber(unused), 'booked, never used']]),
    [hoursText(row.released_early_seconds), 'released early'],
    [formatDuration(longest * 1_000), 'longest wait'],
  ] as [string, string][]
  return (
    <ul class="figures">
      {all.map(([value, text]) => {
        const [number, ...units] = value.split(' ')
        return (
          <li key={text}>
            <b>{number}</b> {units.join(' ')}
            <span class="second">{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

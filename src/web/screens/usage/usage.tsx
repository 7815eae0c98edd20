import { useMemo, useState } from 'preact/hooks'
import { dayOfTime } from '../../features/events/feed.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import { DayInput } from '../../features/schedule/day-input.tsx'
import { formatZone, HOUR, midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { fromParameters } from '../../page/location.ts'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { Segments } from '../../parts/choose/segments.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Page, Section } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { ByTable } from './by-table.tsx'
import { Refusals, Waits } from './demand.tsx'
import { Figures } from './figures.tsx'
import { HoursPlot } from './hours-plot.tsx'
import { UnusedList } from './unused-list.tsx'
import {
  asDates,
  bucketSizeOf,
  byOf,
  type Filter,
  NO_FILTER,
  periodOf,
  SPANS,
  type SpanName,
  spanNameOf,
} from './usage-data.ts'
import { reportQuery, useUsage } from './use-usage.ts'
import { WeekUse } from './week-use.tsx'

interface FilterProps {
  readonly filter: Filter
  readonly onChange: (change: Partial<Filter>) => void
}

const CsvButton = ({ path }: { readonly path: string }) => {
  const { api } = usePage()
  const command = useCommand()
  const download = () =>
    command.run(
      () => api.file(path, 'text/csv'),
      ({ blob }) => saveFile(blob, 'usage.csv'),
    )
  return (
    <>
      <CommandButton icon="download" label="CSV" command={command} onPress={download} />
      <RefusedNote refused={command.refused} />
    </>
  )
}

const SpanBar = ({ filter, onChange }: FilterProps) => {
  const now = usePage().minute.value
  const period = periodOf(filter, now)
  const day = (name: 'from' | 'to', label: string) => (
    <DayInput
      {...{ label, near: now, direction: -1, day: name === 'from' ? period.from : midnightOf(period.to, -1) }}
      onDay={(time) => onChange({ [name]: time === undefined ? '' : dayOfTime(time) })}
    />
  )
  const choose = (span: SpanName): void =>
    onChange(span === 'dates' ? asDates(filter, now) : { span, from: '', to: '' })
  return (
    <div class="row wrap usage-bar" role="search">
      <Segments label="Span" options={SPANS} value={spanNameOf(filter)} onChange={choose} />
      {spanNameOf(filter) === 'dates' && (
        <>
          {day('from', 'First day')}
          {day('to', 'Last day')}
        </>
      )}
      <CsvButton path={`/api/report/usage?${reportQuery(period, filter.by, bucketSizeOf(period))}`} />
    </div>
  )
}

const OTHERS = { sut: 'Machine', user: 'Person' }
const OWN = { sut: 'Machine', user: 'You' }

const ByBar = ({ filter, onChange }: FilterProps) => {
  const suts = useMachines()
  const isTester = meOf(usePage()).role === 'tester'
  const { by } = filter
  const names = useMemo(() => [...new Set([...suts.values()].flatMap(({ tags }) => Object.keys(tags)))].sort(), [suts])
  const choices = names.map((name) => ({ key: `tag.${name}`, text: name, isChosen: by === `tag.${name}` }))
  return (
    <span class="row">
      <Segments
        label="By"
        options={isTester ? OWN : OTHERS}
        value={by as keyof typeof OWN}
        onChange={(next) => onChange({ by: next, key: '' })}
      />
      {!isTester && choices.length > 0 && (
        <MenuChip
          {...{ label: 'Tag', choices, isOn: by.startsWith('tag.') }}
          onChoose={(next: string) => onChange({ by: next, key: '' })}
        />
      )}
    </span>
  )
}

const titleOf = (by: string): string => (by === 'sut' ? 'Machine' : by === 'user' ? 'Person' : by.replace(/^tag\./, ''))

const Content = ({ filter, onChange }: FilterProps) => {
  const now = Math.floor(usePage().minute.value / HOUR) * HOUR
  const period = periodOf(filter, now)
  const { by } = filter
  const rows = useUsage(period, by, 'none')
  const chosen = rows.value?.find(({ key }) => key === filter.key)
  const title = titleOf(by)
  return (
    <>
      <HoursPlot {...{ period, by, now, many: rows.value?.length ?? 0, chosen }} onAll={() => onChange({ key: '' })} />
      <Section title={`By ${title.toLowerCase()}`} beside={<ByBar filter={filter} onChange={onChange} />}>
        <Loaded reading={rows} what="The usage" skeleton={8}>
          {(all) =>
            all.length === 0 ? (
              <p class="muted">Nothing was reserved by you in these days.</p>
            ) : (
              <ByTable
                {...{ label: `Usage by ${title}`, title, rows: all }}
                onChoose={({ key }) => onChange({ key: key ?? '' })}
              />
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
  const change = (part: Partial<Filter>): void => setAsked({ ...asked, ...part })
  const now = page.minute.value
  const period = periodOf(filter, now)
  const totals = useUsage(period, 'none', 'none')
  const isEmpty = useMachines().size === 0 && totals.value?.length === 0
  return (
    <Page title="Usage" beside={<span class="small muted">Days in {formatZone(now)}</span>}>
      <SpanBar filter={filter} onChange={change} />
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
                  <Content filter={filter} onChange={change} />
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

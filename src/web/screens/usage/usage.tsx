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
import { Chip } from '../../parts/choose/chip.tsx'
import { DayInput } from '../../parts/choose/day-input.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { Segments } from '../../parts/choose/segments.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Page, Section } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { ByTable, hoursText } from './by-table.tsx'
import { Refusals, Waits } from './demand.tsx'
import { OverTime, type OverTimeColumn } from './over-time.tsx'
import { UnusedList } from './unused-list.tsx'
import {
  asDates,
  bucketSizeOf,
  bucketsOf,
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
import { reportQuery, useDemand, useSeries, useUsage } from './use-usage.ts'
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
  const now = usePage().minute.value
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

/** What matters most, in large numbers. */
export const Figures = ({ row, period }: { readonly row: UsageRow; readonly period: Stretch }) => {
  const share = shareOf(row)
  const longest = useDemand(period, 'none').value?.[0]?.waited_longest_seconds ?? 0
  const all: readonly (readonly [value: string | false, text: string])[] = [
    [hoursText(row.held_seconds), 'reserved'],
    [
      row.used_seconds !== null && hoursText(row.used_seconds),
      share === undefined ? 'used' : `used, ${formatPercent(share)}`,
    ],
    [formatNumber(row.reservations), 'reservations'],
    [row.unused_reservations !== null && formatNumber(row.unused_reservations), 'booked, never used'],
    [hoursText(row.released_early_seconds), 'released early'],
    [formatDuration(longest * 1_000), 'longest wait'],
  ]
  return (
    <ul class="figures">
      {all.map(([value, text]) => {
        if (value === false) return undefined
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

const HoursPlot = ({ period, by, now, many, chosen, onAll }: Props) => {
  const bucket = bucketSizeOf(period)
  const reading = useSeries(period, { by, bucket, starts: bucketsOf(period, bucket, now), chosen, many })
  return (
    <OverTime
      {...{ title: `Hours a ${bucket}`, period, now, reading, unit: 'h', columns: COLUMNS }}
      {...{ names: ['reserved', 'used'], legend: 'reserved, not used' }}
      valuesOf={(row) => [row.held_seconds / 3_600, row.used_seconds && row.used_seconds / 3_600]}
    >
      {chosen && <Chip label={chosen.name ?? ''} icon="x" isOn onPress={onAll} />}
    </OverTime>
  )
}

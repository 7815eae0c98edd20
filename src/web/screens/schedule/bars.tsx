import { useComputed } from '@preact/signals'
import type { Sut, SutRequest } from '../../data/objects.ts'
import { MachineChips } from '../../features/machines/filter-chips.tsx'
import { QueueTable } from '../../features/queue/queue-table.tsx'
import { dayOf, type Span, type Zoom } from '../../features/schedule/span.ts'
import type { Filter } from '../../features/view/filter.ts'
import { backToNow, moveBy, show, view, zoomTo } from '../../features/view/view.ts'
import {
  formatCount,
  formatDates,
  formatDay,
  formatDayTitle,
  formatNumber,
  formatZone,
  monthOf,
  shortMonthOf,
} from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Chip, Segments } from '../../parts/choose/chip.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { Status } from '../../parts/show/note.tsx'
import { Popover } from './popover.tsx'

const NAMES = { day: 'Day', week: 'Week', month: 'Month' } as const
const ZOOMS: readonly Zoom[] = ['day', 'week', 'month']

const titleOf = (span: Span, now: number, isShort: boolean): string => {
  const { zoom, from, to } = span
  const [year, nameOf] = [new Date(to - 1).getFullYear(), isShort ? shortMonthOf : monthOf]
  if (zoom === 'day') return isShort ? formatDay(dayOf(span)) : formatDayTitle(dayOf(span), now)
  if (zoom === 'month') return `${nameOf(from)} ${year}`
  return `${formatDates(from, to - 1, nameOf)}${year === new Date(now).getFullYear() ? '' : ` ${year}`}`
}

export const DateBar = ({ span }: { readonly span: Span }) => {
  const { minute } = usePage()
  const now = minute.value
  const name = NAMES[span.zoom]
  const zoom = (to: Zoom): void => zoomTo(to, span, now)
  return (
    <div class="row bar">
      <Button label="Today" onClick={backToNow} />
      <span class="row tight">
        <IconButton icon="left" label={`${name} before (K)`} look="quiet" onClick={() => moveBy(span, -1)} />
        <IconButton icon="right" label={`${name} after (J)`} look="quiet" onClick={() => moveBy(span, 1)} />
      </span>
      <h1 class="title">
        <span class="desk-only">{titleOf(span, now, false)}</span>
        <span class="phone-only">{titleOf(span, now, true)}</span>
      </h1>
      <span class="muted small desk-only" title="Times are in your browser's time zone">
        {formatZone(span.from <= now && now < span.to ? now : (span.from + span.to) / 2)}
      </span>
      <span class="grow" />
      <Segments class="desk-only" label="Zoom" options={NAMES} value={span.zoom} onChange={zoom} />
      <div class="phone-only">
        <MenuChip
          label={name}
          choices={ZOOMS.map((key) => ({ key, text: NAMES[key], isChosen: key === span.zoom }))}
          onChoose={zoom}
        />
      </div>
    </div>
  )
}

const GroupChip = ({ suts }: { readonly suts: readonly Sut[] }) => {
  const groupBy = useComputed(() => view.value.groupBy).value
  const names = [...new Set(suts.flatMap(({ tags }) => Object.keys(tags)))].sort()
  const choice = (key: string, text: string) => ({ key, text, isChosen: (groupBy ?? '') === key })
  return (
    <MenuChip
      label={groupBy === undefined ? 'Group' : `Group: ${groupBy.replace(/^tag\./, '')}`}
      choices={[choice('', 'None'), choice('type', 'type'), ...names.map((name) => choice(`tag.${name}`, name))]}
      onChoose={(key: string) => show({ groupBy: key || undefined, folded: new Set() })}
    />
  )
}

const LEGEND = {
  'block own': 'Yours',
  'block other': 'Others',
  'block wait': 'Waiting',
  turn: 'Turnaround',
  off: 'Offline',
  inactive: 'Inactive',
}

interface FilterBarProps {
  readonly suts: readonly Sut[]
  readonly freeCount: number
  readonly shownCount: number
  /** Who waits; undefined until it was read, and in the past. */
  readonly queue: readonly SutRequest[] | undefined
  readonly isQueueOpen: boolean
  readonly onQueue: (isOpen: boolean) => void
}

export const FilterBar = ({ suts, freeCount, shownCount, queue = [], isQueueOpen, onQueue }: FilterBarProps) => {
  const filter = useComputed(() => view.value.filter).value
  const change = (part: Partial<Filter>): void => show({ filter: { ...filter, ...part } })
  const waiting = `${formatNumber(queue.length)} waiting`
  return (
    <div class="row bar" role="search" aria-label="Filter machines">
      <SearchField
        id="filter-text"
        class="filter-text desk-only"
        label="Filter by text"
        placeholder="Filter machines"
        shortcut="/"
        value={filter.text}
        onInput={(text) => change({ text })}
      />
      <Chip
        label="Free now for 1 h"
        icon="clock"
        count={freeCount}
        isOn={filter.isFreeNow}
        onPress={() => change({ isFreeNow: !filter.isFreeNow })}
      />
      <MachineChips suts={suts} chosen={filter} onChange={change} />
      <GroupChip suts={suts} />
      {queue.length > 0 && (
        <Chip
          {...{ label: waiting, icon: 'queue', class: 'waits' }}
          aria-haspopup="dialog"
          aria-expanded={isQueueOpen}
          onPress={() => onQueue(!isQueueOpen)}
        />
      )}
      {queue.length > 0 && isQueueOpen && (
        <Popover title="Waiting" width={440} subtitle={waiting} anchor=".chip.waits" onClose={() => onQueue(false)}>
          <div class="pop-body">
            <QueueTable queue={queue} />
          </div>
        </Popover>
      )}
      <Status class="vh">{formatCount(shownCount, 'machine')}</Status>
      <span class="grow" />
      <div class="row wrap clip legend small muted desk-only" role="group" aria-label="Legend">
        {Object.entries(LEGEND).map(([look, text]) => (
          <span key={look}>
            <i class={look} />
            {text}
          </span>
        ))}
      </div>
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { type Sut, systemOf, takenOf } from '../../../data/objects.ts'
import { causeOf, causeText } from '../../../features/events/causes.ts'
import { stateOf } from '../../../features/machines/machine-state.ts'
import { type Booked, freeUntil } from '../../../features/schedule/calendar.ts'
import { type Cell, loadStep } from '../../../features/schedule/cells.ts'
import { minuteAt, type Span } from '../../../features/schedule/span.ts'
import {
  formatClock,
  formatDay,
  formatDuration,
  formatRange,
  formatWhen,
  HOUR,
  QUARTER,
} from '../../../format/format.ts'
import { linkTo } from '../../../page/location.ts'
import { Icon } from '../../../parts/icon.tsx'
import { initialsOf } from '../../../parts/initials.ts'
import { NameLink } from '../../../parts/show/name-link.tsx'
import type { Drawn } from './drawn.ts'

interface RowOptions {
  readonly sut: Sut
  readonly booked: readonly Booked[]
  readonly cells: readonly Cell[]
  readonly isKnown: boolean
  readonly span: Span
  readonly now: number
  readonly ownId: string
  readonly nameOf: (userId: string) => string
  /** Pixels of an hour. */
  readonly hourWidth: number
  readonly index: number
  readonly top: number
  readonly focusKey: string | undefined
  readonly drawn: Drawn | undefined
  /** Whether the row stays only so that nothing moves. */
  readonly isLeaving: boolean
  readonly mayReserve: boolean
  readonly onQuick: (sut: Sut) => void
}

const Head = (options: RowOptions) => {
  const { sut, booked, isKnown, now, ownId, mayReserve, onQuick } = options
  const { kind, icon, text } = stateOf(sut, booked, now, ownId)
  const free = kind === 'free' && isKnown ? freeUntil(takenOf(sut, booked), now) : undefined
  const freeFor = free === undefined || free === Number.POSITIVE_INFINITY ? 'over 24 h' : formatDuration(free - now)
  const length = free === undefined ? 0 : Math.min(HOUR, free - now)
  const freeText = <span class="free ok small num nowrap">{freeFor}</span>
  return (
    <div class="row tl-head" role="rowheader">
      <Icon name={icon} />
      <NameLink class="name" name={sut.name} tabindex={-1} draggable={false} href={linkTo('machines', sut._id)} />
      <span class="vh"> {text}</span>
      <span class="grow clip small muted">{systemOf(sut)}</span>
      {mayReserve && length > 0 ? (
        <button
          type="button"
          class="quick"
          tabindex={-1}
          aria-label={`Free for ${freeFor}, reserve ${sut.name} for ${formatDuration(length)}`}
          onClick={() => onQuick(sut)}
        >
          {freeText}
          <span class="btn small primary">{formatDuration(length)}</span>
        </button>
      ) : (
        free !== undefined && freeText
      )}
    </div>
  )
}

/** Where a cell is: both are minutes from the left edge. */
const placeOf = (span: Span, { from, to }: { readonly from: number; readonly to: number }): Record<string, number> => ({
  '--a': minuteAt(span, from),
  '--z': minuteAt(span, to),
})

/** Pixels from which a block shows a name, and from which initials. */
const NAME_FROM = { day: 36, week: 56, month: 0 } as const
const INITIALS_FROM = 24

const isWide = (name: string, width: number, zoom: Span['zoom']): boolean =>
  zoom === 'day' && width >= 7 * name.length + 108

const labelOf = (name: string, time: string, width: number, zoom: Span['zoom']) =>
  width >= NAME_FROM[zoom] ? (
    <span>
      <span class="medium clip">
        <bdi>{name}</bdi>
      </span>{' '}
      {isWide(name, width, zoom) && <span class="num">{time}</span>}
    </span>
  ) : (
    width >= INITIALS_FROM && <span class="ini" data-i={initialsOf(name)} />
  )

const offlineText = ({ sut: { monitoring }, now }: RowOptions): string => {
  const cause = causeOf(monitoring)
  return `Offline since ${formatWhen(Date.parse(monitoring.last_updated), now)}${cause ? `, ${cause}` : ''}`
}

const dayRange = (from: number, to: number): string =>
  formatDay(from) === formatDay(to - 1)
    ? formatRange(from, to)
    : `${formatDay(from)} ${formatClock(from)} – ${formatDay(to)} ${formatClock(to)}`

const spoken = ({ from, to }: Cell): string => dayRange(from, to).replace(/ ?– ?/, ' to ')

const turnText = ({ from, to }: Cell): string => `Turnaround until ${formatWhen(to, from)}`

const CellView = ({ cell, row }: { readonly cell: Cell; readonly row: RowOptions }) => {
  const { span, focusKey, hourWidth, nameOf } = row
  const place = placeOf(span, cell)
  const width = ((cell.to - cell.from) / HOUR) * hourWidth
  const button = (look: string, label: string, more: object = {}, content?: ComponentChildren) => (
    <button
      type="button"
      role="gridcell"
      tabindex={cell.key === focusKey ? 0 : -1}
      style={place}
      data-key={cell.key}
      aria-colindex={Math.floor((place['--a'] ?? 0) / 15) + 2}
      aria-colspan={Math.max(1, Math.round((cell.to - cell.from) / QUARTER))}
      class={`cell ${look}`}
      aria-label={label}
      {...more}
    >
      {content}
    </button>
  )
  /** What is only seen. */
  const shade = (look: string, text: string, more: object = {}, content = <span class="vh">{text}</span>) => (
    <span class={`cell ${look}`} style={place} role="gridcell" {...more}>
      {content}
    </span>
  )
  switch (cell.kind) {
    case 'gap':
      return button('gap', `Free, ${spoken(cell)}${row.sut.monitoring.status === 'Offline' ? ', offline now' : ''}`)
    case 'turn':
      return button('turn', turnText(cell), { title: turnText(cell) })
    case 'idle':
      return button('gap', `Too close to the next reservation, ${spoken(cell)}`)
    case 'inactive':
      return shade('inactive', 'Inactive')
    case 'offline': {
      if (cell.isAhead) return shade('off ahead', 'Offline now; may still be offline then')
      const text = offlineText(row)
      // The hours of a month stand over it, and so does a reservation that runs.
      const isCovered = row.cells.some((each) => each.kind === 'block' && each.phase === 'running')
      if (span.zoom === 'month' || isCovered) return shade('off', text, { title: text })
      const shown = (
        <span>
          <Icon name="warning" />
          {text}
        </span>
      )
      return shade('off', text, {}, shown)
    }
    case 'outage': {
      const text = `Offline ${dayRange(cell.from, cell.to)}, ${causeText(cell.cause)}`
      return shade('off over', text, { title: text })
    }
    case 'queued': {
      const { queued, isOwn } = cell
      const name = isOwn ? 'You' : queued.name
      const text = `${name}, waiting for ${formatDuration(queued.length)}`
      const hasMore = isWide(name, width, span.zoom)
      const label = width >= NAME_FROM[span.zoom] && (
        <span>
          {hasMore && <Icon name="queue" />}
          <span class="txt clip">
            <bdi>{name}</bdi>
            {hasMore && ', waiting'}
          </span>
        </span>
      )
      return button('block wait', text, { title: text }, label)
    }
    case 'load': {
      const hours = Math.round(cell.hours)
      const step = loadStep(cell.hours)
      const label = `${formatDay(cell.from)}, ${hours} h reserved${cell.isMine ? ', some of it yours' : ''}`
      const style = { ...place, '--load': `var(--load-${step})` }
      return button(cell.isMine ? 'load mine' : 'load', label, { style }, cell.hours > 0 && hours)
    }
    case 'block': {
      const { booked, isOwn, phase } = cell
      const name = isOwn ? 'You' : nameOf(booked.userId)
      const time = dayRange(booked.from, booked.to)
      const state = phase === 'running' ? ', in use' : phase === 'past' ? ', over' : ''
      const isDraggable = isOwn && row.mayReserve && phase !== 'past' && cell.to === booked.to
      const look = `block ${isOwn ? 'own' : 'other'}${phase === 'ahead' ? '' : ` ${phase}`}`
      return button(look, `${name} ${time}${state}`, {}, [
        labelOf(name, formatRange(booked.from, booked.to), width, span.zoom),
        isDraggable && <i class="edge" data-edge="own" />,
      ])
    }
  }
}

const DrawnView = ({ drawn, span }: { readonly drawn: Drawn; readonly span: Span }) => {
  const { window, clash, label, edges, isFreed = false } = drawn
  return [
    <div
      class={isFreed ? 'draft freed cell' : 'draft cell'}
      style={placeOf(span, { from: Math.max(window.from, span.from), to: window.to })}
    >
      <span>{label}</span>
      {edges.map((edge) => (
        <i key={edge} class={`edge ${edge}`} data-edge={edge} />
      ))}
    </div>,
    clash !== undefined && <div class="clash cell" style={placeOf(span, clash)} />,
  ]
}

export const MachineRow = (row: RowOptions) => {
  const { sut, cells, isKnown, index, top, drawn, span, isLeaving } = row
  return (
    <div
      class={`tl-row${sut.is_active ? '' : ' muted-row'}${isLeaving ? ' leaving' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Head {...row} />
      <div class="tl-lane">
        {!isKnown && (
          <span role="gridcell" class="sk sk-block late" style={{ '--n': index % 5 }}>
            <span class="vh">Loading</span>
          </span>
        )}
        {cells.map((cell) => (
          <CellView key={cell.key} cell={cell} row={row} />
        ))}
        {drawn !== undefined && <DrawnView drawn={drawn} span={span} />}
      </div>
    </div>
  )
}

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../live/objects.ts'
import type { Booked } from '../../timeline/calendar.ts'
import { type Cell, cellsOf, stopsOf } from '../../timeline/cells.ts'
import { type Draft, draftBetween } from '../../timeline/draft.ts'
import { type Move, moveOf, moveSpot, type Spot, stopAt } from '../../timeline/moves.ts'
import type { Layout, Row } from '../../timeline/rows.ts'
import { type Span, timeAt } from '../../timeline/span.ts'
import { HOUR } from '../../timeline/times.ts'

export interface GridProps {
  readonly rows: readonly Row<Sut>[]
  readonly count: number
  readonly bySut: ReadonlyMap<string, readonly Booked[]>
  readonly span: Span
  readonly now: number
  readonly ownId: string
  readonly mayReserve: boolean
  readonly nameOf: (userId: string) => string
  readonly draft: Draft | undefined
  readonly onFold: (title: string) => void
  /** A cell was opened, at a time in it. */
  readonly onOpen: (sut: Sut, cell: Cell, time: number) => void
  /** Free time was chosen by a drag. */
  readonly onDraft: (draft: Draft) => void
  readonly onQuick: (sut: Sut) => void
  /** Keys that are not the grid's own, with the cell that has the focus. */
  readonly onKey: (event: KeyboardEvent, sut: Sut, cell: Cell) => void
}

/** What a machine without reservations has. */
export const NONE: readonly Booked[] = []
/** Pixels below which a press is a click. */
const CLICK = 4

/** The cells of a machine's row. */
export const cellsOfRow = (props: GridProps, sut: Sut): readonly Cell[] =>
  cellsOf(
    {
      booked: props.bySut.get(sut._id) ?? NONE,
      isActive: sut.is_active,
      offlineSince: sut.monitoring.status === 'Offline' ? Date.parse(sut.monitoring.last_updated) : undefined,
    },
    props.span,
    props.now,
    props.ownId,
  )

/** The row and the time under the pointer. */
const underPointer = (event: MouseEvent, props: GridProps, hourWidth: number) => {
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
  const lane = row?.querySelector('.tl-lane')
  const index = Number(row?.dataset.row ?? Number.NaN)
  const found = props.rows[index]
  if (lane === null || lane === undefined || found?.kind !== 'machine') return undefined
  const time = timeAt(props.span, hourWidth, event.clientX - lane.getBoundingClientRect().left)
  return { index, sut: found.of, time }
}

/** A drag in free time chooses a window. A press that moves less than a few pixels is a click. */
const useDrag = (props: GridProps, hourWidth: number) => {
  const drag = useRef<{ x: number; time: number; sut: Sut; isMoved: boolean } | undefined>(undefined)
  const begin = (event: PointerEvent): void => {
    const isGap = (event.target as HTMLElement).classList.contains('gap')
    const at = underPointer(event, props, hourWidth)
    if (event.button !== 0 || event.pointerType === 'touch' || !isGap || at === undefined || !props.mayReserve) return
    drag.current = { x: event.clientX, time: at.time, sut: at.sut, isMoved: false }
  }
  const move = (event: PointerEvent): void => {
    const { current } = drag
    if (current === undefined || props.span.zoom === 'month') return
    if (!current.isMoved && Math.abs(event.clientX - current.x) < CLICK) return
    if (!current.isMoved) (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    current.isMoved = true
    const to = current.time + ((event.clientX - current.x) / hourWidth) * HOUR
    props.onDraft(draftBetween(current.sut._id, current.time, to, props.bySut.get(current.sut._id) ?? NONE, props.now))
  }
  /** Whether a drag has ended, so that the click after it opens nothing. */
  const end = (): boolean => {
    const isMoved = drag.current?.isMoved === true
    drag.current = undefined
    return isMoved
  }
  const cancel = (): void => {
    drag.current = undefined
  }
  return { begin, move, end, cancel }
}

/** The place of the keyboard on the grid. Only its cell is a tab stop. */
const useSpot = (props: GridProps, layout: Layout<Sut>) => {
  const [spot, setSpot] = useState<Spot | undefined>(undefined)
  const stops = (index: number): readonly Cell[] => {
    const row = props.rows[index]
    return row?.kind === 'machine' ? stopsOf(cellsOfRow(props, row.of)) : []
  }
  const first = props.rows.findIndex(({ kind }) => kind === 'machine')
  const isInSpan = spot !== undefined && spot.time >= props.span.from && spot.time < props.span.to
  const start = Math.max(props.span.from, Math.min(props.now, props.span.to - 1))
  const row = Math.min(spot?.row ?? first, props.rows.length - 1)
  const current: Spot = { row: props.rows[row]?.kind === 'machine' ? row : first, time: isInSpan ? spot.time : start }
  const cell = stopAt(stops(current.row), current.time)
  const move = (by: Move): Spot => moveSpot(current, by, { rows: layout.rows.length, stops })
  return { current, cell, move, setSpot }
}

/** The cell under the pointer or with the focus, and where it is. */
const cellOf = (target: HTMLElement, props: GridProps) => {
  const button = target.closest<HTMLElement>('[data-key]')
  const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset.row ?? Number.NaN)
  const row = props.rows[index]
  if (button === null || row?.kind !== 'machine') return undefined
  const cell = cellsOfRow(props, row.of).find(({ key }) => key === button.dataset.key)
  return cell && { cell, index, sut: row.of }
}

/** What pointer and keyboard do on the grid. */
export const useInput = (
  props: GridProps,
  layout: Layout<Sut>,
  box: RefObject<HTMLDivElement | null>,
  hourWidth: number,
) => {
  const { current, cell: focused, move, setSpot } = useSpot(props, layout)
  const drag = useDrag(props, hourWidth)
  const wasDragged = useRef(false)
  const toFocus = useRef(false)

  useEffect(() => {
    if (!toFocus.current) return
    toFocus.current = false
    const cell = box.current?.querySelector<HTMLElement>(`[data-row="${current.row}"] [tabindex="0"]`)
    cell?.focus({ preventScroll: true })
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const focusOn = (spot: Spot): void => {
    toFocus.current = true
    const top = layout.tops[spot.row] ?? 0
    const { current: element } = box
    // A row far away is drawn only once it is in view.
    if (element !== null && (top < element.scrollTop || top + 68 > element.scrollTop + element.clientHeight - 32))
      element.scrollTo({ top: Math.max(0, top - element.clientHeight / 2) })
    setSpot(spot)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = cellOf(event.target as HTMLElement, props)
    const by = event.shiftKey || event.altKey ? undefined : moveOf(event)
    if (at === undefined) return
    if (by === undefined) props.onKey(event, at.sut, at.cell)
    else {
      event.preventDefault()
      focusOn(move(by))
    }
  }
  const onClick = (event: MouseEvent): void => {
    if (wasDragged.current) {
      wasDragged.current = false
      return
    }
    const at = cellOf(event.target as HTMLElement, props)
    if (at === undefined) return
    // A click by the keyboard has no place.
    const time = event.detail === 0 ? at.cell.from : (underPointer(event, props, hourWidth)?.time ?? at.cell.from)
    setSpot({ row: at.index, time: Math.max(at.cell.from, time) })
    props.onOpen(at.sut, at.cell, time)
  }
  /** However a cell got the focus, the keyboard goes on from there. */
  const onFocusIn = (event: FocusEvent): void => {
    const at = cellOf(event.target as HTMLElement, props)
    if (at !== undefined && at.cell.key !== focused?.key) setSpot({ row: at.index, time: at.cell.from })
  }
  const onPointerUp = (): void => {
    wasDragged.current = drag.end()
  }
  const { begin: onPointerDown, move: onPointerMove, cancel: onPointerCancel } = drag
  const handlers = { onKeyDown, onClick, onFocusIn, onPointerDown, onPointerMove, onPointerUp, onPointerCancel }
  return { current, focused, handlers }
}

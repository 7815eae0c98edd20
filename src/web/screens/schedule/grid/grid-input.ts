import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../../data/objects.ts'
import { type Cell, stopsOf } from '../../../features/schedule/cells.ts'
import { type Move, moveOf, moveSpot, type Spot, stopAt } from '../../../features/schedule/moves.ts'
import type { Layout } from '../../../features/schedule/rows.ts'
import { timeAt } from '../../../features/schedule/span.ts'
import { isFocusLost } from '../../../parts/focus.ts'
import { useDrag } from './drag.ts'
import { cellsOfRow, type GridProps, underPointer } from './grid-props.ts'

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

const cellOf = (target: HTMLElement, props: GridProps) => {
  const button = target.closest<HTMLElement>('[data-key]')
  const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset.row ?? Number.NaN)
  const row = props.rows[index]
  if (button === null || row?.kind !== 'machine') return undefined
  const cell = cellsOfRow(props, row.of).find(({ key }) => key === button.dataset.key)
  return cell && { cell, index, sut: row.of }
}

/** Tells whether the focus was on the grid and is nowhere now: its cell has gone, with another span or by what others do. */
const useLost = (box: RefObject<HTMLDivElement | null>): (() => boolean) => {
  const wasHere = useRef(false)
  useEffect(() => {
    const isHere = ({ target }: Event): boolean => box.current?.contains(target as Node) === true
    const onFocusIn = (event: Event): void => {
      wasHere.current = isHere(event)
    }
    const onPointerDown = (event: Event): void => {
      wasHere.current &&= isHere(event)
    }
    const listening = new AbortController()
    document.addEventListener('focusin', onFocusIn, listening)
    document.addEventListener('pointerdown', onPointerDown, listening)
    return () => listening.abort()
  }, [])
  return () => wasHere.current && isFocusLost()
}

export const useInput = (
  props: GridProps,
  layout: Layout<Sut>,
  box: RefObject<HTMLDivElement | null>,
  hourWidth: number,
) => {
  const { current, cell: focused, move, setSpot } = useSpot(props, layout)
  const drag = useDrag(props, hourWidth)
  /** Whether the focus goes to the current cell, which then is brought into view or stays where it is. */
  const toFocus = useRef<'in view' | 'in place' | undefined>(undefined)
  const isLost = useLost(box)

  useLayoutEffect(() => {
    const how = toFocus.current ?? (isLost() ? 'in place' : undefined)
    if (how === undefined) return
    toFocus.current = undefined
    const cell = box.current?.querySelector<HTMLElement>(`[data-row="${current.row}"] [tabindex="0"]`)
    cell?.focus({ preventScroll: true })
    if (how === 'in view') cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  useLayoutEffect(() => {
    if (props.returns === 0) return
    if (box.current?.contains(document.activeElement)) toFocus.current = 'in place'
    setSpot({ row: current.row, time: props.now })
  }, [props.returns])

  // Where one reserves by a drag the keyboard goes on, too.
  const { drawn, open } = props
  const place = drawn && open?.isDrawn !== true ? `${drawn.sutId} ${drawn.window.from}` : undefined
  useLayoutEffect(() => {
    const row = props.rows.findIndex((each) => each.kind === 'machine' && each.of._id === drawn?.sutId)
    if (place !== undefined && drawn !== undefined && row >= 0) setSpot({ row, time: drawn.window.from })
  }, [place])

  const focusOn = (spot: Spot): void => {
    toFocus.current = 'in view'
    const top = layout.tops[spot.row] ?? 0
    const { current: element } = box
    // A row far away is drawn only once it is in view.
    if (element !== null && (top < element.scrollTop || top + 68 > element.scrollTop + element.clientHeight - 32))
      element.scrollTo({ top: Math.max(0, top - element.clientHeight / 2) })
    setSpot(spot)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = cellOf(event.target as HTMLElement, props)
    if (at === undefined) return
    const by = event.shiftKey || event.altKey ? undefined : moveOf(event)
    const isTaken = props.onKey(event, at.sut, at.cell)
    if (isTaken || by !== undefined) event.preventDefault()
    if (!isTaken && by !== undefined) focusOn(move(by))
  }
  const onClick = (event: MouseEvent): void => {
    const at = drag.wasDragged() ? undefined : cellOf(event.target as HTMLElement, props)
    if (at === undefined) return
    const under = underPointer(event, props.rows)
    // A click by the keyboard has no place.
    const isPlaced = event.detail > 0 && under !== undefined
    const time = isPlaced ? timeAt(props.span, hourWidth, under.x) : at.cell.from
    setSpot({ row: at.index, time: Math.max(at.cell.from, time) })
    props.openCell(at.sut, at.cell, time)
  }
  /** However a cell got the focus, the keyboard goes on from there. */
  const onFocusIn = (event: FocusEvent): void => {
    const at = cellOf(event.target as HTMLElement, props)
    if (at !== undefined && at.cell.key !== focused?.key) setSpot({ row: at.index, time: at.cell.from })
  }
  const handlers = { onKeyDown, onClick, onFocusIn, ...drag.handlers }
  return { current, focused, handlers, isDragging: drag.isDragging }
}

import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../../data/objects.ts'
import { isKnown } from '../../../data/reservations.ts'
import { heightOf, type Layout, layOut, type Row, scrollFor, visibleRows } from '../../../features/schedule/rows.ts'
import { HOURS_BEFORE, hourWidthOf, minuteAt, minutesOf, type Span } from '../../../features/schedule/span.ts'
import { isFreeForAnHour } from '../../../features/view/filter.ts'
import { show, view } from '../../../features/view/view.ts'
import { formatCount, formatNumber, HOUR } from '../../../format/format.ts'
import { isPhone } from '../../../page/theme.ts'
import { toggled } from '../../../parts/choose/toggled.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Axis, Backdrop } from './axis.tsx'
import { useInput } from './grid-input.ts'
import { cellsOfRow, type GridOptions, type GridProps, NONE, useGridProps } from './grid-props.ts'
import { MachineRow } from './machine-row.tsx'

/** Spares what has not changed: a node that is the same as before, as nothing in `from` is another, is not looked at. */
const Same = ({ from, draw }: { readonly from: readonly unknown[]; readonly draw: () => VNode }) => useMemo(draw, from)

const useBox = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [box, setBox] = useState(() => ({ width: 1_176, height: 800, top: 0, left: 0, isPhone: isPhone() }))
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const read = (): void => {
      const head = element.querySelector<HTMLElement>('.tl-corner')?.offsetWidth ?? 0
      setBox({
        width: element.clientWidth - head,
        height: element.clientHeight,
        top: element.scrollTop,
        left: element.scrollLeft,
        isPhone: isPhone(),
      })
    }
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    return () => observer.disconnect()
  }, [])
  return { ref, box }
}

interface GroupProps {
  readonly row: Extract<Row<Sut>, { kind: 'group' }>
  readonly top: number
  readonly index: number
  readonly props: GridProps
}

const GroupRow = ({ row, top, index, props }: GroupProps) => {
  const { title, of, isFolded } = row
  const free = of.filter((sut) => isFreeForAnHour(sut, props.bySut.get(sut._id) ?? NONE, props.now)).length
  const name = title === '' ? 'Others' : title
  return (
    <div class="tl-group" role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <div class="row small muted" role="rowheader">
        <button
          type="button"
          class="fold"
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${name}`}
          onClick={() => show({ folded: toggled(view.peek().folded, title) })}
        >
          <Icon name={isFolded ? 'right' : 'down'} />
        </button>
        <b>
          <bdi>{name}</bdi>
        </b>
        {formatCount(of.length, 'machine')}, {formatNumber(free)} free
      </div>
    </div>
  )
}

/** Keeps the row at the top where it is when rows come and go. */
const useSteadyRows = (ref: RefObject<HTMLDivElement | null>, layout: Layout<Sut>): void => {
  const before = useRef(layout)
  useLayoutEffect(() => {
    const { current: element } = ref
    if (element !== null && before.current !== layout) {
      const top = scrollFor(before.current, layout, element.scrollTop)
      if (top !== element.scrollTop) element.scrollTo({ top })
    }
    before.current = layout
  }, [layout])
}

/** Keeps the time at the left edge where it is when hours become wider or narrower. */
const useSteadyTime = (ref: RefObject<HTMLDivElement | null>, left: number, hourWidth: number): void => {
  const before = useRef(hourWidth)
  useLayoutEffect(() => {
    ref.current?.scrollTo({ left: (left * hourWidth) / before.current })
    before.current = hourWidth
  }, [hourWidth])
}

/** Brings what is drawn by keys or in a form into view. What is under the pointer stays there. */
const useDrawnInView = (
  ref: RefObject<HTMLDivElement | null>,
  drawn: GridProps['drawn'],
  isDragging: () => boolean,
): void => {
  const place = drawn && `${drawn.sutId} ${drawn.window.from} ${drawn.window.to}`
  useLayoutEffect(() => {
    if (place === undefined || isDragging()) return
    ref.current?.querySelector('.draft')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [place])
}

/** A day opens two hours before now, and never scrolls by itself afterwards: only back to now when one asks for it. */
const useStart = (ref: RefObject<HTMLDivElement | null>, { span, now, returns }: GridProps, hourWidth: number): void =>
  useLayoutEffect(() => {
    const isNow = span.from <= now && now < span.to
    const hours = isNow ? Math.max(0, Math.floor((now - span.from) / HOUR) - HOURS_BEFORE) : HOURS_BEFORE + 7
    ref.current?.scrollTo({ left: span.zoom === 'day' ? hours * hourWidth : 0 })
  }, [span.zoom, span.from, returns])

const machinesOf = (rows: readonly Row<Sut>[], indexes: readonly number[]): readonly string[] =>
  indexes.flatMap((index) => {
    const row = rows[index]
    return row?.kind === 'machine' ? [row.of._id] : []
  })

const AROUND = 100

const useView = ({ rows, onView }: GridOptions, drawn: readonly number[], first: number, last: number): void => {
  useEffect(() => {
    const near = [...rows.keys()].filter((row) => row >= first - AROUND && row < last + AROUND)
    onView(machinesOf(rows, drawn), machinesOf(rows, near))
  }, [rows, onView, drawn.join()])
}

const styleOf = (span: Span, now: number, hourWidth: number): Record<string, number | string> => ({
  '--span': minutesOf(span),
  '--now-at': Math.min(Math.max(minuteAt(span, now), 0), minutesOf(span)),
  '--step': span.zoom === 'day' ? 60 : 1_440,
  '--hour': `${hourWidth}px`,
})

/** Machines down, time across. Only what is in view is in the document, and what has the focus or is open. */
export const Grid = (options: GridOptions) => {
  const { rows, span, count, openSutId, children } = options
  const { ref, box } = useBox()
  const layout = useMemo(
    () => layOut(rows, box.isPhone ? { group: 32, machine: 68 } : { group: 28, machine: 36 }),
    [rows, box.isPhone],
  )
  const hourWidth = hourWidthOf(span, box.width, box.isPhone)
  const [first, last] = visibleRows(layout, box.top, box.height)
  const inView = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n)
  const props = useGridProps(options, machinesOf(rows, inView))
  const { bySut, known, outages, now, ownId, nameOf, mayReserve, drawn } = props
  const { current, focused, handlers, isDragging } = useInput(props, layout, ref, hourWidth)
  useSteadyTime(ref, box.left, hourWidth)
  useStart(ref, props, hourWidth)
  useSteadyRows(ref, layout)
  useDrawnInView(ref, drawn, isDragging)

  const openRow = rows.findIndex((row) => row.kind === 'machine' && row.of._id === openSutId)
  const kept = [current.row, openRow].filter((row) => row >= 0 && !inView.includes(row))
  const indexes = [...inView, ...new Set(kept)]
  useView(options, indexes, first, last)
  const shared = { span, now, ownId, nameOf, mayReserve, hourWidth }
  const draw = (index: number) => {
    const row = rows[index]
    const top = layout.tops[index] ?? 0
    if (row === undefined) return undefined
    if (row.kind === 'group') return <GroupRow key={row.key} row={row} top={top} index={index} props={props} />
    const { of: sut, isLeaving = false } = row
    const own = {
      ...{ sut, booked: bySut.get(sut._id) ?? NONE, index, top, isLeaving },
      focusKey: index === current.row ? focused?.key : undefined,
      drawn: drawn?.sutId === sut._id ? drawn : undefined,
    }
    const from = [...Object.values(shared), ...Object.values(own), known.get(sut._id), outages.get(sut._id)]
    const whole = () => (
      <MachineRow
        {...shared}
        {...own}
        onQuick={props.quick}
        cells={cellsOfRow(props, sut)}
        isKnown={isKnown(props, sut._id, span)}
      />
    )
    return <Same key={row.key} from={from} draw={whole} />
  }
  return (
    <div
      class={`tl ${span.zoom}`}
      ref={ref}
      role="grid"
      aria-label={`Schedule of ${formatCount(count, 'machine')}`}
      aria-rowcount={rows.length + 1}
      aria-colcount={Math.round(minutesOf(span) / 15) + 1}
      style={styleOf(span, now, hourWidth)}
      {...handlers}
    >
      <div class="tl-in">
        <Axis span={span} now={now}>
          {formatCount(count, 'machine')}
          {children}
        </Axis>
        <div class="tl-body">
          <Backdrop span={span} now={now} />
          <div class="tl-rows" role="rowgroup" style={{ height: `${heightOf(layout)}px` }}>
            {indexes.map(draw)}
          </div>
        </div>
      </div>
    </div>
  )
}

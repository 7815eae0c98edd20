import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../../data/objects.ts'
import { isKnown } from '../../../data/reservations.ts'
import { useUptimes } from '../../../features/machines/use-uptimes.ts'
import { heightOf, type Layout, layOut, type Row, scrollFor, visibleRows } from '../../../features/schedule/rows.ts'
import { HOURS_BEFORE, hourWidthOf, minuteAt, minutesOf, type Span } from '../../../features/schedule/span.ts'
import { isFreeForAnHour } from '../../../features/view/filter.ts'
import { show, view } from '../../../features/view/view.ts'
import { formatCount, formatNumber, HOUR } from '../../../format/format.ts'
import { usePage } from '../../../page/context.ts'
import { isPhone } from '../../../page/theme.ts'
import { toggled } from '../../../parts/choose/toggled.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Axis, Backdrop } from './axis.tsx'
import { useInput } from './grid-input.ts'
import { cellsOfRow, type GridOptions, type GridProps, NONE, useGridProps } from './grid-props.ts'
import { MachineRow } from './machine-row.tsx'

interface Drawn {
  readonly from: readonly unknown[]
  readonly node: VNode
}

/** Draws an entry of a list, or takes the node of the last time where that was drawn from the same values. */
type DrawSame = (key: string, from: readonly unknown[], draw: () => VNode) => VNode

/** Spares what has not changed: a node that is the same is not looked at again. Of one drawing the next one knows. */
const useSame = (): DrawSame => {
  const last = useRef<ReadonlyMap<string, Drawn>>(new Map())
  const before = last.current
  const now = new Map<string, Drawn>()
  last.current = now
  return (key, from, draw) => {
    const known = before.get(key)
    const isSame = known !== undefined && from.every((value, n) => Object.is(value, known.from[n]))
    const drawn = isSame ? known : { from, node: draw() }
    now.set(key, drawn)
    return drawn.node
  }
}

interface Box {
  readonly width: number
  readonly height: number
  readonly top: number
  readonly left: number
  readonly isPhone: boolean
}

const useBox = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [box, setBox] = useState<Box>(() => ({ width: 1_176, height: 800, top: 0, left: 0, isPhone: isPhone() }))
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
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', read)
    }
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

interface RowsProps {
  readonly props: GridProps
  readonly layout: Layout<Sut>
  readonly indexes: readonly number[]
  readonly hourWidth: number
  readonly focusedRow: number
  readonly focusKey: string | undefined
}

const Rows = ({ props, layout, indexes, hourWidth, focusedRow, focusKey }: RowsProps) => {
  const { bySut, known, outages, span, now, ownId, nameOf, mayReserve, quick, drawn } = props
  const same = useSame()
  const shared = { span, now, ownId, nameOf, mayReserve, hourWidth }
  const draw = (index: number) => {
    const row = props.rows[index]
    const top = layout.tops[index] ?? 0
    if (row === undefined) return undefined
    if (row.kind === 'group') return <GroupRow key={row.key} row={row} top={top} index={index} props={props} />
    const { of: sut, isLeaving = false } = row
    const booked = bySut.get(sut._id) ?? NONE
    const own = {
      ...{ sut, booked, index, top, isLeaving, focusKey: index === focusedRow ? focusKey : undefined },
      drawn: drawn?.sutId === sut._id ? drawn : undefined,
    }
    const from = [...Object.values(shared), ...Object.values(own), known.get(sut._id), outages.get(sut._id)]
    return same(row.key, from, () => (
      <MachineRow
        key={row.key}
        {...shared}
        {...own}
        onQuick={quick}
        cells={cellsOfRow(props, sut)}
        isKnown={isKnown(props, sut._id, span)}
      />
    ))
  }
  return (
    <div class="tl-rows" role="rowgroup" style={{ height: `${heightOf(layout)}px` }}>
      {indexes.map(draw)}
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

const machinesOf = (rows: readonly Row<Sut>[], indexes: readonly number[]): readonly Sut[] =>
  indexes.flatMap((index) => {
    const row = rows[index]
    return row?.kind === 'machine' ? [row.of] : []
  })

const AROUND = 100

const useView = ({ rows, onView }: GridOptions, drawn: readonly number[], first: number, last: number): void => {
  useEffect(() => {
    const near = [...rows.keys()].filter((row) => row >= first - AROUND && row < last + AROUND)
    const idsOf = (indexes: readonly number[]) => machinesOf(rows, indexes).map(({ _id }) => _id)
    onView(idsOf(drawn), idsOf(near))
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
  const { rows, span, count, waiting, onShowWaiting, openSutId } = options
  const now = usePage().minute.value
  const { ref, box } = useBox()
  const layout = useMemo(
    () => layOut(rows, box.isPhone ? { group: 32, machine: 68 } : { group: 28, machine: 36 }),
    [rows, box.isPhone],
  )
  const hourWidth = hourWidthOf(span, box.width, box.isPhone)
  const [first, last] = visibleRows(layout, box.top, box.height)
  const inView = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n)
  const isOver = span.from < now && span.zoom !== 'month'
  const seen = isOver ? machinesOf(rows, inView).map(({ _id }) => _id) : []
  const props = useGridProps(options, useUptimes(seen, span))
  const { current, focused, handlers, isDragging } = useInput(props, layout, ref, hourWidth)
  useSteadyTime(ref, box.left, hourWidth)
  useStart(ref, props, hourWidth)
  useSteadyRows(ref, layout)
  useDrawnInView(ref, props.drawn, isDragging)

  const openRow = rows.findIndex((row) => row.kind === 'machine' && row.of._id === openSutId)
  const kept = [current.row, openRow].filter((row) => row >= 0 && !inView.includes(row))
  const indexes = [...inView, ...new Set(kept)]
  useView(options, indexes, first, last)
  const columns = Math.round(minutesOf(span) / 15) + 1
  return (
    <div
      class={`tl ${span.zoom}`}
      ref={ref}
      role="grid"
      aria-label={`Schedule of ${formatCount(count, 'machine')}`}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns}
      style={styleOf(span, now, hourWidth)}
      {...handlers}
    >
      <div class="tl-in">
        <Axis span={span} now={now} count={count} waiting={waiting} onShowWaiting={onShowWaiting} />
        <div class="tl-body">
          <Backdrop span={span} now={now} />
          <Rows
            props={props}
            layout={layout}
            indexes={indexes}
            hourWidth={hourWidth}
            focusedRow={current.row}
            focusKey={focused?.key}
          />
        </div>
      </div>
    </div>
  )
}

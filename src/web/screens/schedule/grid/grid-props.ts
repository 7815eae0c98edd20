import type { ComponentChildren } from 'preact'
import { type Sut, turnaroundOf } from '../../../data/objects.ts'
import { isKnown } from '../../../data/reservations.ts'
import { useUptimes } from '../../../features/machines/use-uptimes.ts'
import type { Booked, Queued } from '../../../features/schedule/calendar.ts'
import { type Cell, cellsOf } from '../../../features/schedule/cells.ts'
import type { Row } from '../../../features/schedule/rows.ts'
import type { Span } from '../../../features/schedule/span.ts'
import { view } from '../../../features/view/view.ts'
import { meOf, usePage } from '../../../page/context.ts'
import { type TimelineReading, usePersonName } from '../../../page/use-timeline.ts'
import type { Drawn } from './drawn.ts'
import { useOpening } from './keys.ts'

/** What a grid is given. */
export interface GridOptions {
  readonly rows: readonly Row<Sut>[]
  readonly count: number
  readonly queued: ReadonlyMap<string, readonly Queued[]>
  readonly span: Span
  readonly drawn: Drawn | undefined
  /** The machine whose reservation is open. Its row stays in the document. */
  readonly openSutId: string | undefined
  readonly onView: TimelineReading['onView']
  /** What else is said beside how many machines these are. */
  readonly children: ComponentChildren
}

/** The same with what it knows itself. */
export type GridProps = ReturnType<typeof useGridProps>

export const useGridProps = (options: GridOptions, sutsInView: readonly string[]) => {
  const page = usePage()
  const me = meOf(page)
  const [now, mayReserve] = [page.minute.value, me.role !== 'auditor']
  const { open, returns } = view.value
  const { bySut, known } = page.reservations.all.value
  const { span } = options
  const isOver = span.from < now && span.zoom !== 'month'
  const outages = useUptimes(isOver ? sutsInView : [], span)
  return {
    ...{ ...options, outages, bySut, known, now, open, returns, mayReserve, ownId: me._id, nameOf: usePersonName() },
    ...useOpening(open, span, now, mayReserve),
  }
}

export const NONE: readonly Booked[] = []

export const cellsOfRow = (props: GridProps, sut: Sut): readonly Cell[] => {
  if (!isKnown(props, sut._id, props.span)) return []
  return cellsOf(
    {
      booked: props.bySut.get(sut._id) ?? NONE,
      turnaround: turnaroundOf(sut),
      isActive: sut.is_active,
      queued: props.queued.get(sut._id) ?? [],
      outages: props.outages.get(sut._id)?.outages ?? [],
      offlineSince: sut.monitoring.status === 'Offline' ? Date.parse(sut.monitoring.last_updated) : undefined,
    },
    props.span,
    props.now,
    props.ownId,
  )
}

export const underPointer = (event: MouseEvent, rows: GridProps['rows']) => {
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
  const lane = row?.querySelector('.tl-lane')
  const found = rows[Number(row?.dataset.row ?? Number.NaN)]
  if (lane === null || lane === undefined || found?.kind !== 'machine') return undefined
  return { sut: found.of, lane, x: event.clientX - lane.getBoundingClientRect().left }
}

import { type Sut, turnaroundOf } from '../../../data/objects.ts'
import { isKnown, type Reserved } from '../../../data/reservations.ts'
import type { Uptime } from '../../../features/machines/uptime.ts'
import type { Booked } from '../../../features/schedule/calendar.ts'
import { type Cell, cellsOf } from '../../../features/schedule/cells.ts'
import type { Queued } from '../../../features/schedule/queued.ts'
import type { Row } from '../../../features/schedule/rows.ts'
import type { Span } from '../../../features/schedule/span.ts'
import type { Open } from '../../../features/view/view.ts'
import type { Drawn } from './drawn.ts'

export interface GridProps {
  readonly rows: readonly Row<Sut>[]
  readonly count: number
  readonly bySut: ReadonlyMap<string, readonly Booked[]>
  readonly known: Reserved['known']
  readonly queued: ReadonlyMap<string, readonly Queued[]>
  readonly span: Span
  readonly returns: number
  readonly now: number
  readonly ownId: string
  readonly mayReserve: boolean
  readonly nameOf: (userId: string) => string
  readonly open: Open | undefined
  readonly drawn: Drawn | undefined
  readonly outages: ReadonlyMap<string, Uptime>
  readonly onFold: (title: string) => void
  readonly onOpen: (sut: Sut, cell: Cell, time: number) => void
  /** Something is drawn by a drag; undefined when that was given up. */
  readonly onDraw: (open: Open | undefined) => void
  readonly onQuick: (sut: Sut) => void
  /** Keys, with the cell that has the focus. Tells whether the key was for it, and not for the grid. */
  readonly onKey: (event: KeyboardEvent, sut: Sut, cell: Cell) => boolean
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

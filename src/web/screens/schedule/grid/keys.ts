/** The keys of the timeline that are not the grid's own. */

import { type Sut, takenOf } from '../../../data/objects.ts'
import { freeUntil, type Taken } from '../../../features/schedule/calendar.ts'
import type { Cell } from '../../../features/schedule/cells.ts'
import { draftAt, dragEnd, moveLength, moveStart } from '../../../features/schedule/draft.ts'
import { moveOf } from '../../../features/schedule/moves.ts'
import { type Span, stepOf, type Zoom } from '../../../features/schedule/span.ts'
import { backToNow, draw, moveBy, type Open, show, zoomTo } from '../../../features/view/view.ts'
import { QUARTER } from '../../../format/format.ts'
import { usePage } from '../../../page/context.ts'

const ZOOM_KEYS: Readonly<Record<string, Zoom>> = { d: 'day', w: 'week', m: 'month' }

/** The keys that lead to another span. Where something can be drawn, Shift with an arrow draws. */
const onSpanKey = (event: KeyboardEvent, span: Span, now: number): boolean => {
  const key = event.key.toLowerCase()
  const zoom = ZOOM_KEYS[key]
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (zoom !== undefined) zoomTo(zoom, span, now)
  else if (key === 't' || key === 'n') backToNow()
  else if (key === 'k' || (event.shiftKey && event.key === 'ArrowLeft')) moveBy(span, -1)
  else if (key === 'j' || (event.shiftKey && event.key === 'ArrowRight')) moveBy(span, 1)
  else return false
  return true
}

interface At {
  readonly sut: Sut
  readonly cell: Cell
  readonly taken: readonly Taken[]
  readonly span: Span
  readonly now: number
  readonly open: Open | undefined
}

const WHERE_DRAFTS_ARE: ReadonlySet<Cell['kind']> = new Set(['gap', 'turn', 'idle'])

const ARROWS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** What the keys of a draft make of it: arrows move its start, with Shift its length. */
const draftAfter = (event: KeyboardEvent, { sut, cell, taken, span, now, open }: At): Open | undefined => {
  const quarters = (ARROWS[event.key] ?? 0) * (stepOf(span.zoom) / QUARTER)
  const draft = open?.kind === 'draft' && open.draft.sutId === sut._id ? open.draft : undefined
  if (quarters === 0 || !WHERE_DRAFTS_ARE.has(cell.kind) || (draft === undefined && !event.shiftKey)) return undefined
  if (draft === undefined)
    return { kind: 'draft', draft: moveLength(draftAt(sut._id, cell.from, taken, now), quarters, now), isDrawn: true }
  return {
    ...open,
    kind: 'draft',
    draft: event.shiftKey ? moveLength(draft, quarters, now) : moveStart(draft, quarters, now),
  }
}

const endAfter = (event: KeyboardEvent, { cell, taken, span, now, open }: At): Open | undefined => {
  const by = (ARROWS[event.key] ?? 0) * stepOf(span.zoom)
  if (by === 0 || !event.shiftKey || cell.kind !== 'block' || !cell.isOwn || cell.phase === 'past') return undefined
  const id = cell.booked._id
  const before = open?.kind === 'reservation' && open.id === id ? open.end : undefined
  const end = dragEnd(cell.booked, (before ?? cell.booked.to) + by, taken, now)
  return { kind: 'reservation', id, end, isDrawn: true }
}

/** The keys that draw on the timeline, and those that end it. Tells whether the key was one. */
const onDrawKey = (event: KeyboardEvent, at: At): boolean => {
  if (at.span.zoom === 'month' || event.ctrlKey || event.metaKey || event.altKey) return false
  const { open } = at
  const drawn = draftAfter(event, at) ?? endAfter(event, at)
  if (drawn !== undefined) show({ open: drawn })
  else if (open === undefined) return false
  else if (event.key === 'Escape') show({ open: undefined })
  else if (event.key === 'Enter' && open.isDrawn === true) show({ open: { ...open, isDrawn: false } })
  else {
    // What is drawn stays beside the focus.
    if (open.isDrawn === true && moveOf(event) !== undefined) show({ open: undefined })
    return false
  }
  return true
}

/** What opens a cell of the timeline, and what keys do there: they tell whether the key was one. */
export const useOpening = (open: Open | undefined, span: Span, now: number, mayReserve: boolean) => {
  const { bySut } = usePage().reservations.all.value
  const takenBySut = (sut: Sut): readonly Taken[] => takenOf(sut, bySut.get(sut._id))
  const openCell = (sut: Sut, cell: Cell, at: number): void => {
    if (cell.kind === 'load') show({ zoom: 'day', time: cell.from, open: undefined })
    else if (cell.kind === 'block') show({ open: { kind: 'reservation', id: cell.booked._id } })
    else if (cell.kind === 'queued')
      show({ open: { kind: 'request', queued: cell.queued, sutId: sut._id, at: cell.from } })
    else if (mayReserve && WHERE_DRAFTS_ARE.has(cell.kind) && cell.to > now)
      draw(draftAt(sut._id, at, takenBySut(sut), now))
  }
  const quick = (sut: Sut): void =>
    openCell(sut, { kind: 'gap', key: '', from: now, to: freeUntil(takenBySut(sut), now) ?? now }, now)
  const onKey = (event: KeyboardEvent, sut: Sut, cell: Cell): boolean => {
    if (mayReserve && onDrawKey(event, { sut, cell, taken: takenBySut(sut), span, now, open })) return true
    if (!['e', 'E', 'Delete'].includes(event.key) || cell.kind !== 'block') return onSpanKey(event, span, now)
    if (event.key === 'Delete') show({ open: { kind: 'reservation', id: cell.booked._id, isGivenBack: true } })
    else openCell(sut, cell, cell.from)
    return true
  }
  return { openCell, quick, onKey }
}

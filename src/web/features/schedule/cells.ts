import { HOUR } from '../../format/format.ts'
import { type Booked, floorQuarter, gapsOf, type Stretch, takenBy, turnedAt, turnsOf } from './calendar.ts'
import { type Placed, placeQueued, type Queued } from './queued.ts'
import { daysOf, type Span } from './span.ts'

/** What a row shows. Pure: instants are Unix milliseconds. */

export type Cell =
  | (Stretch & { readonly kind: 'gap'; readonly key: string })
  | (Stretch & {
      readonly kind: 'block'
      readonly key: string
      readonly booked: Booked
      readonly isOwn: boolean
      readonly phase: 'past' | 'running' | 'ahead'
    })
  | (Stretch & { readonly kind: 'turn' | 'idle'; readonly key: string })
  | (Stretch & { readonly kind: 'offline'; readonly key: string; readonly isAhead: boolean })
  | (Stretch & { readonly kind: 'outage'; readonly key: string; readonly cause: string })
  | (Stretch & { readonly kind: 'queued'; readonly key: string; readonly queued: Queued; readonly isOwn: boolean })
  | (Stretch & { readonly kind: 'inactive'; readonly key: string })
  | (Stretch & { readonly kind: 'load'; readonly key: string; readonly hours: number; readonly isMine: boolean })

interface RowState {
  readonly booked: readonly Booked[]
  /** Milliseconds between two reservations. */
  readonly turnaround?: number
  readonly isActive: boolean
  /** Who waits for it, by rank. */
  readonly queued?: readonly Queued[]
  readonly offlineSince: number | undefined
  readonly outages?: readonly Outage[]
}

export interface Outage extends Stretch {
  readonly cause: string
  readonly isOpen: boolean
}

const clip = ({ from, to }: Stretch, span: Stretch): Stretch => ({
  from: Math.max(from, span.from),
  to: Math.min(to, span.to),
})

const isIn = ({ from, to }: Stretch, span: Stretch): boolean => from < span.to && to > span.from

const phaseOf = ({ from, to }: Stretch, now: number): 'past' | 'running' | 'ahead' =>
  to <= now ? 'past' : from <= now ? 'running' : 'ahead'

/** A cell a day, with the hours that are reserved in it. */
const loadCells = (booked: readonly Booked[], span: Span, ownId: string): readonly Cell[] =>
  daysOf(span).map((from, n, days) => {
    const day = { from, to: days[n + 1] ?? span.to }
    const inDay = booked.filter((each) => isIn(each, day))
    const hours = inDay.map((each) => clip(each, day)).reduce((sum, { from: a, to: b }) => sum + (b - a) / HOUR, 0)
    return { ...day, kind: 'load', key: `load ${from}`, hours, isMine: inDay.some(({ userId }) => userId === ownId) }
  })

const offlineCells = (since: number, span: Span, now: number): readonly Cell[] => {
  const parts = [
    { from: since, to: now, isAhead: false },
    { from: now, to: Number.POSITIVE_INFINITY, isAhead: true },
  ]
  return parts
    .filter((part) => isIn(part, span))
    .map(({ isAhead, ...part }) => ({
      ...clip(part, span),
      kind: 'offline',
      key: isAhead ? 'offline ahead' : 'offline',
      isAhead,
    }))
}

/** What is over of when it was not there. What lasts is drawn as `offline`. */
const outageCells = (outages: readonly Outage[], span: Span, now: number): readonly Cell[] =>
  outages
    .filter((outage) => !outage.isOpen && outage.to <= now && isIn(outage, span))
    .map((outage) => ({
      ...clip(outage, span),
      kind: 'outage',
      key: `outage ${outage.from}`,
      cause: outage.cause,
    }))

const turnCells = (booked: readonly Booked[], turnaround: number, span: Span): readonly Cell[] =>
  turnsOf(booked, turnaround)
    .filter((turn) => isIn(turn, span))
    .map((turn) => ({ ...clip(turn, span), kind: 'turn', key: `turn ${turn.from}` }))

/** Before a reservation nothing can be had for the time of a turnaround, although the machine stands idle. */
const idleCells = (booked: readonly Booked[], turnaround: number, span: Span, since: number): readonly Cell[] =>
  booked
    .map((each, n) => {
      const previous = booked[n - 1]
      const turned = previous === undefined ? since : turnedAt(previous, turnaround)
      return { from: Math.max(each.from - turnaround, turned, since), to: each.from, key: `idle ${each._id}` }
    })
    .filter((idle) => idle.from < idle.to && isIn(idle, span))
    .map((idle) => ({ ...clip(idle, span), kind: 'idle', key: idle.key }))

const queuedCells = (placed: readonly Placed[], span: Span, ownId: string): readonly Cell[] =>
  placed
    .filter((each) => isIn(each, span))
    .map(({ queued, ...at }) => ({
      ...clip(at, span),
      kind: 'queued',
      key: `queued ${queued._id}`,
      queued,
      isOwn: queued.userId === ownId,
    }))

/** The cells of a row in a span, in order of time; gaps only where something can still be reserved. */
export const cellsOf = (row: RowState, span: Span, now: number, ownId: string): readonly Cell[] => {
  const { booked, turnaround = 0, isActive, offlineSince, outages = [], queued = [] } = row
  const offline = offlineSince === undefined ? [] : offlineCells(offlineSince, span, now)
  if (span.zoom === 'month') return [...offline, ...loadCells(booked, span, ownId)]
  const inView = booked.filter((each) => isIn(each, span))
  const blocks = inView.map(
    (each): Cell => ({
      ...clip(each, span),
      kind: 'block',
      key: each._id,
      booked: each,
      isOwn: each.userId === ownId,
      phase: phaseOf(each, now),
    }),
  )
  const since = floorQuarter(now)
  const taken = takenBy(booked, turnaround)
  const placed = placeQueued(taken, queued, now)
  // One cell at a time: who waits is drawn where the machine is free.
  const drawn = [...taken, ...placed].toSorted((a, b) => a.from - b.from)
  const gaps = isActive ? gapsOf(drawn, span, since) : []
  const cells: readonly Cell[] = [
    ...(isActive ? [] : [{ ...clip(span, span), kind: 'inactive', key: 'inactive' } as const]),
    ...outageCells(outages, span, now),
    ...offline,
    ...(turnaround === 0 ? [] : turnCells(booked, turnaround, span)),
    ...(turnaround === 0 || !isActive ? [] : idleCells(booked, turnaround, span, since)),
    ...gaps.map((gap): Cell => ({ ...gap, kind: 'gap', key: `gap ${gap.from}` })),
    ...blocks,
    ...queuedCells(placed, span, ownId),
  ]
  return cells
}

export const loadStep = (hours: number): 0 | 1 | 2 | 3 | 4 =>
  hours <= 0 ? 0 : hours < 3 ? 1 : hours < 6 ? 2 : hours < 9 ? 3 : 4

const STOPS: ReadonlySet<Cell['kind']> = new Set(['gap', 'turn', 'idle', 'block', 'queued', 'load'])

/** The cells that the keyboard visits, in order of time. */
export const stopsOf = (cells: readonly Cell[]): readonly Cell[] =>
  cells.filter(({ kind }) => STOPS.has(kind)).toSorted((a, b) => a.from - b.from)

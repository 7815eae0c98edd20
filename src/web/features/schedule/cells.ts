/** What a row shows. Pure: instants are Unix milliseconds. */

import { HOUR } from '../../format/format.ts'
import type { Booked, Queued, Stretch } from './calendar.ts'
import { floorQuarter, gapsOf, overlaps, placeQueued, takenBy, turnedAt, turnsOf } from './calendar.ts'
import { daysOf, type Span } from './span.ts'

export type Cell = Stretch & { readonly key: string } & (
    | { readonly kind: 'gap' | 'turn' | 'idle' | 'inactive' }
    | {
        readonly kind: 'block'
        readonly booked: Booked
        readonly isOwn: boolean
        readonly phase: 'past' | 'running' | 'ahead'
      }
    | { readonly kind: 'offline'; readonly isAhead: boolean }
    | { readonly kind: 'outage'; readonly cause: string }
    | { readonly kind: 'queued'; readonly queued: Queued; readonly isOwn: boolean }
    | { readonly kind: 'load'; readonly hours: number; readonly isMine: boolean }
  )

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

/** The parts of stretches that are in a span. */
const partsIn = <A extends Stretch>(all: readonly A[], span: Stretch): readonly A[] =>
  all
    .filter((each) => overlaps(each, span))
    .map((each) => ({ ...each, from: Math.max(each.from, span.from), to: Math.min(each.to, span.to) }))

const phaseOf = ({ from, to }: Stretch, now: number): 'past' | 'running' | 'ahead' =>
  to <= now ? 'past' : from <= now ? 'running' : 'ahead'

/** A cell a day, with the hours that are reserved in it. */
const loadCells = (booked: readonly Booked[], span: Span, ownId: string): readonly Cell[] =>
  daysOf(span).map((from, n, days) => {
    const day = { from, to: days[n + 1] ?? span.to }
    const inDay = partsIn(booked, day)
    const hours = inDay.reduce((sum, { from: a, to: b }) => sum + (b - a) / HOUR, 0)
    return { ...day, kind: 'load', key: `load ${from}`, hours, isMine: inDay.some(({ userId }) => userId === ownId) }
  })

const offlineCells = (since: number, now: number): readonly Cell[] => [
  { kind: 'offline', key: 'offline', from: since, to: now, isAhead: false },
  { kind: 'offline', key: 'offline ahead', from: now, to: Number.POSITIVE_INFINITY, isAhead: true },
]

/** What is over of when it was not there. What lasts is drawn as `offline`. */
const outageCells = (outages: readonly Outage[], now: number): readonly Cell[] =>
  outages
    .filter(({ isOpen, to }) => !isOpen && to <= now)
    .map(({ from, to, cause }) => ({ from, to, cause, kind: 'outage', key: `outage ${from}` }))

/** Before a reservation nothing can be had for the time of a turnaround, although the machine stands idle. */
const idleCells = (booked: readonly Booked[], turnaround: number, since: number): readonly Cell[] =>
  booked
    .map((each, n): Cell => {
      const previous = booked[n - 1]
      const turned = previous === undefined ? since : turnedAt(previous, turnaround)
      const from = Math.max(each.from - turnaround, turned, since)
      return { kind: 'idle', key: `idle ${each._id}`, from, to: each.from }
    })
    .filter(({ from, to }) => from < to)

/** The cells of a row in a span, in order of time; gaps only where something can still be reserved. */
export const cellsOf = (row: RowState, span: Span, now: number, ownId: string): readonly Cell[] => {
  const { booked, turnaround = 0, isActive, offlineSince, outages = [], queued = [] } = row
  const offline = offlineSince === undefined ? [] : offlineCells(offlineSince, now)
  if (span.zoom === 'month') return [...partsIn(offline, span), ...loadCells(booked, span, ownId)]
  const since = floorQuarter(now)
  const taken = takenBy(booked, turnaround)
  const placed = placeQueued(taken, queued, now)
  // One cell at a time: who waits is drawn where the machine is free.
  const drawn = [...taken, ...placed].toSorted((a, b) => a.from - b.from)
  const gaps = isActive ? gapsOf(drawn, span, since) : []
  const cells: readonly Cell[] = [
    ...(isActive ? [] : [{ kind: 'inactive', key: 'inactive', from: span.from, to: span.to } as const]),
    ...outageCells(outages, now),
    ...offline,
    ...turnsOf(booked, turnaround).map((turn): Cell => ({ ...turn, kind: 'turn', key: `turn ${turn.from}` })),
    ...(isActive ? idleCells(booked, turnaround, since) : []),
    ...gaps.map((gap): Cell => ({ ...gap, kind: 'gap', key: `gap ${gap.from}` })),
    ...booked.map(
      (each): Cell => ({
        ...{ kind: 'block', key: each._id, from: each.from, to: each.to },
        ...{ booked: each, isOwn: each.userId === ownId, phase: phaseOf(each, now) },
      }),
    ),
    ...placed.map(
      ({ queued: of, from, to }): Cell => ({
        ...{ kind: 'queued', key: `queued ${of._id}`, from, to, queued: of, isOwn: of.userId === ownId },
      }),
    ),
  ]
  return partsIn(cells, span)
}

export const loadStep = (hours: number): 0 | 1 | 2 | 3 | 4 =>
  hours <= 0 ? 0 : hours < 3 ? 1 : hours < 6 ? 2 : hours < 9 ? 3 : 4

const STOPS: ReadonlySet<Cell['kind']> = new Set(['gap', 'turn', 'idle', 'block', 'queued', 'load'])

/** The cells that the keyboard visits, in order of time. */
export const stopsOf = (cells: readonly Cell[]): readonly Cell[] =>
  cells.filter(({ kind }) => STOPS.has(kind)).toSorted((a, b) => a.from - b.from)

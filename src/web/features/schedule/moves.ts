import type { Cell } from './cells.ts'

export interface Spot {
  readonly row: number
  readonly time: number
}

export const stopAt = (stops: readonly Cell[], time: number): Cell | undefined => {
  const at = stops.find(({ from, to }) => from <= time && time < to)
  if (at !== undefined) return at
  const distance = ({ from, to }: Cell): number => Math.min(Math.abs(from - time), Math.abs(to - time))
  return stops.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** By so many rows and stops. Infinity is as far as there are any. */
export interface Move {
  readonly rows?: number
  readonly stops?: number
}

const FAR = Number.POSITIVE_INFINITY
const MOVES: Readonly<Record<string, Move>> = {
  ...{ ArrowLeft: { stops: -1 }, ArrowRight: { stops: 1 }, Home: { stops: -FAR }, End: { stops: FAR } },
  ...{ ArrowUp: { rows: -1 }, ArrowDown: { rows: 1 }, PageUp: { rows: -10 }, PageDown: { rows: 10 } },
}
const MOVES_OF_ALL: Readonly<Record<string, Move>> = {
  ...MOVES,
  ...{ Home: { rows: -FAR, stops: -FAR }, End: { rows: FAR, stops: FAR } },
}

export const moveOf = (event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>): Move | undefined =>
  (event.ctrlKey || event.metaKey ? MOVES_OF_ALL : MOVES)[event.key]

/** The row that a vertical move leads to. `isRow` tells rows that have stops. */
const rowAfter = (from: number, by: number, count: number, isRow: (row: number) => boolean): number => {
  const step = Math.sign(by)
  let [row, left] = [from, Math.abs(by)]
  let reached = from
  while (left > 0) {
    row += step
    if (row < 0 || row >= count) break
    if (!isRow(row)) continue
    reached = row
    left--
  }
  return reached
}

export interface Grid {
  readonly rows: number
  /** The stops of a row; empty for the head of a group. */
  readonly stops: (row: number) => readonly Cell[]
}

/**
 * Where a move leads, also to rows and stops that are not in the document, which `rove` cannot reach. Vertical moves
 * keep the time.
 */
export const moveSpot = ({ row, time }: Spot, move: Move, { rows, stops }: Grid): Spot => {
  const to = rowAfter(row, move.rows ?? 0, rows, (each) => stops(each).length > 0)
  if (move.stops === undefined) return { row: to, time }
  const there = stops(to)
  const at = there.indexOf(stopAt(there, time) as Cell) + move.stops
  return { row: to, time: there[Math.min(Math.max(at, 0), there.length - 1)]?.from ?? time }
}

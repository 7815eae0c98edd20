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

export type Move = 'left' | 'right' | 'up' | 'down' | 'home' | 'end' | 'first' | 'last' | 'pageUp' | 'pageDown'

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

export const moveOf = ({ key, ctrlKey, metaKey }: Pressed): Move | undefined => {
  const whole = ctrlKey || metaKey
  switch (key) {
    case 'ArrowLeft':
      return 'left'
    case 'ArrowRight':
      return 'right'
    case 'ArrowUp':
      return 'up'
    case 'ArrowDown':
      return 'down'
    case 'Home':
      return whole ? 'first' : 'home'
    case 'End':
      return whole ? 'last' : 'end'
    case 'PageUp':
      return 'pageUp'
    case 'PageDown':
      return 'pageDown'
    default:
      return undefined
  }
}

const PAGE = 10

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

/** Where a move leads. Vertical moves keep the time. */
export const moveSpot = ({ row, time }: Spot, move: Move, { rows, stops }: Grid): Spot => {
  const isRow = (each: number): boolean => stops(each).length > 0
  const vertically = (by: number): Spot => ({ row: rowAfter(row, by, rows, isRow), time })
  const here = stops(row)
  const at = here.indexOf(stopAt(here, time) as Cell)
  const along = (index: number): Spot => ({
    row,
    time: here[Math.min(Math.max(index, 0), here.length - 1)]?.from ?? time,
  })
  switch (move) {
    case 'left':
      return along(at - 1)
    case 'right':
      return along(at + 1)
    case 'home':
      return along(0)
    case 'end':
      return along(here.length - 1)
    case 'up':
      return vertically(-1)
    case 'down':
      return vertically(1)
    case 'pageUp':
      return vertically(-PAGE)
    case 'pageDown':
      return vertically(PAGE)
    case 'first': {
      const first = rowAfter(-1, 1, rows, isRow)
      return { row: first, time: stops(first)[0]?.from ?? time }
    }
    case 'last': {
      const last = rowAfter(rows, -1, rows, isRow)
      return { row: last, time: stops(last).at(-1)?.from ?? time }
    }
  }
}

/** Seven days, one below the other. Pure: instants are Unix milliseconds. */

import { MINUTE, midnightOf } from '../../format/format.ts'
import { type Booked, overlaps, type Stretch, turnsOf } from './calendar.ts'

/** A part of a day, in minutes from midnight. */
interface Part {
  readonly a: number
  readonly z: number
}

export interface DayBlock extends Part {
  readonly booked: Booked
}

export interface DayTurn extends Part {
  readonly to: number
}

export interface Day {
  /** Midnight. */
  readonly from: number
  readonly to: number
  readonly blocks: readonly DayBlock[]
  readonly turns: readonly DayTurn[]
}

/** Minutes that a row has. A day on which clocks change has an hour more or less, which its end shows. */
const ROW_MINUTES = 24 * 60

const partOf = (each: Stretch, day: Stretch): Part => ({
  a: Math.max(0, (each.from - day.from) / MINUTE),
  z: Math.min(ROW_MINUTES, (Math.min(each.to, day.to) - day.from) / MINUTE),
})

/** The day of a time and those after it, each with what is reserved in it. `turnaround` is in milliseconds. */
export const weekOf = (booked: readonly Booked[], turnaround: number, time: number): readonly Day[] => {
  const all = turnsOf(booked, turnaround)
  return Array.from({ length: 7 }, (_, n): Day => {
    const day = { from: midnightOf(time, n), to: midnightOf(time, n + 1) }
    const blocks = booked.filter((each) => overlaps(each, day)).map((each) => ({ booked: each, ...partOf(each, day) }))
    const turns = all.filter((each) => overlaps(each, day)).map((each) => ({ to: each.to, ...partOf(each, day) }))
    return { ...day, blocks, turns }
  })
}

import type { DataOf } from '../domain/event.ts'
import { QUARTER } from '../domain/window.ts'
import { offsetIn, secondsIn } from './rules-moments.ts'
import type { Held, Sut, Tell } from './rules-state.ts'
import { hexAt } from './verify-ids.ts'

const word = (number: number): string => number.toString(16).padStart(8, '0')

export const nameOf = ({ high, middle, low }: Held): string => word(high) + word(middle) + word(low)

/** How many of the windows start before a moment. */
export const countBefore = (windows: readonly Held[], moment: number): number => {
  let [low, high] = [0, windows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((windows[middle] as Held).start < moment) low = middle + 1
    else high = middle
  }
  return low
}

/** Lets go what is over at a time in Unix milliseconds. */
export const letGo = ({ windows }: Sut, time: number): void => {
  let over = 0
  while (over < windows.length && (windows[over] as Held).end * 1_000 <= time) over++
  if (over > 0) windows.splice(0, over)
}

const isOnGrid = (moment: number): boolean => moment % QUARTER === 0

export const reservationCreated = (
  sut: Sut,
  data: DataOf<'ReservationCreated'>,
  user_id: string,
  time: number,
  tell: Tell,
): void => {
  const [start, end] = [secondsIn(data.start_time), secondsIn(data.end_time)]
  if (sut.status !== 'standing') tell(`reserves a SUT that is ${sut.status}`)
  else if (sut.values.is_active === false) tell('reserves a SUT that is not active')
  if (sut.status === 'standing' && data.listen_port !== sut.listen_port) {
    tell(`has the listen_port ${data.listen_port}, the SUT ${sut.listen_port}`)
  }
  if (!(start < end)) {
    tell('has a window that is none')
    return
  }
  if (!isOnGrid(start) || !isOnGrid(end)) tell('has a window that is not on the grid of quarter-hours')
  if (end * 1_000 <= time) {
    tell('has a window that is over')
    return
  }
  if (start < time / 1_000 - QUARTER) tell('has a window that begins before the quarter-hour it was made in')
  const { windows } = sut
  const place = countBefore(windows, start)
  const [before, behind] = [windows[place - 1], windows[place]]
  if (before !== undefined && before.end > start)
    tell(`overlaps the reservation ${nameOf(before)}, which holds the SUT`)
  if (behind !== undefined && behind.start < end)
    tell(`overlaps the reservation ${nameOf(behind)}, which holds the SUT`)
  const { _id } = data
  const held = {
    high: hexAt(_id, 0, 8),
    middle: hexAt(_id, 8, 16),
    low: hexAt(_id, 16, 24),
    user_id,
    start,
    end,
    endOffset: offsetIn(data.end_time),
  }
  if (place === windows.length) windows.push(held)
  else windows.splice(place, 0, held)
}

/** The place of the reservation that an event is about, which must hold its SUT, now or later. */
const placeOf = ({ windows }: Sut, { _id, user_id }: DataOf<'ReservationCancelled'>, tell: Tell): number => {
  const [high, middle, low] = [hexAt(_id, 0, 8), hexAt(_id, 8, 16), hexAt(_id, 16, 24)]
  const place = windows.findIndex((held) => held.low === low && held.middle === middle && held.high === high)
  const held = windows[place]
  if (held === undefined) tell(`is about the reservation ${_id}, which does not stand`)
  else if (held.user_id !== user_id) tell(`says that the reservation is ${user_id}'s, who did not make it`)
  return place
}

export const reservationExtended = (sut: Sut, data: DataOf<'ReservationExtended'>, tell: Tell): void => {
  const place = placeOf(sut, data, tell)
  const held = sut.windows[place]
  if (held === undefined) return
  const end = secondsIn(data.end_time)
  if (sut.values.is_active === false) tell('extends a reservation of a SUT that is not active')
  if (!(end > held.end)) {
    tell('extends a reservation to an end that is not later')
    return
  }
  if (!isOnGrid(end)) tell('has an end that is not on the grid of quarter-hours')
  const behind = sut.windows[place + 1]
  if (behind !== undefined && behind.start < end)
    tell(`overlaps the reservation ${nameOf(behind)}, which holds the SUT`)
  held.end = end
  held.endOffset = offsetIn(data.end_time)
}

export const reservationReleased = (sut: Sut, data: DataOf<'ReservationReleased'>, time: number, tell: Tell): void => {
  const place = placeOf(sut, data, tell)
  const held = sut.windows[place]
  if (held === undefined) return
  if (held.start * 1_000 > time) tell('releases a reservation that has not begun')
  const end = Math.max(Math.ceil(time / 1_000), held.start + 1)
  if (secondsIn(data.end_time) !== end) tell('ends a reservation at another second than the one it was released in')
  if (offsetIn(data.end_time) !== held.endOffset) tell('ends a reservation in another offset than it had')
  sut.windows.splice(place, 1)
}

export const reservationCancelled = (
  sut: Sut,
  data: DataOf<'ReservationCancelled'>,
  time: number,
  tell: Tell,
): void => {
  const place = placeOf(sut, data, tell)
  const held = sut.windows[place]
  if (held === undefined) return
  if (held.start * 1_000 <= time) tell('cancels a reservation that has begun')
  sut.windows.splice(place, 1)
}

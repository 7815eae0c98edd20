import { type Calendar, change, dropPast, find, insert, remove } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { addReleased, type HeldTime } from '../calendar/held-time.ts'
import type { DataOf, Recorded } from '../event.ts'
import type { reservationEvents } from '../events/reservation.ts'
import { epochSecondsOf, offsetOf } from '../values/instant.ts'

type WindowData = Pick<DataOf<'ReservationCreated'>, '_id' | 'user_id' | 'start_time' | 'end_time' | 'keepalive'>

/** @param created Unix milliseconds */
const toHeld = (
  { _id, user_id, start_time, end_time, keepalive = 0 }: WindowData,
  created: number,
  client: string | null,
): Held => {
  const [start, end] = [epochSecondsOf(start_time), epochSecondsOf(end_time)]
  const lateness = Math.max(created - start * 1000, 0)
  return {
    _id,
    user_id,
    start,
    end,
    startOffset: offsetOf(start_time),
    endOffset: offsetOf(end_time),
    lateness,
    started: false,
    client,
    keepalive,
    kept: 0,
    hasHeartbeats: false,
  }
}

/** Starts and ends are recorded in order: what ended before this reservation will not be recorded any more. */
const dropBefore = (windows: Calendar, _id: string): Calendar => {
  const held = find(windows, _id)
  return held === undefined ? windows : dropPast(windows, held.start)
}

/** The reservations of a SUT that decisions need. */
interface Reservations {
  readonly windows: Calendar
  readonly released: readonly HeldTime[]
  readonly ended: readonly Held[]
}

/**
 * Reservations to keep once their end is recorded. A turnaround needs the last one. The others cover a clock that was
 * wrong for a while.
 */
const ENDED_MAX = 4

type ReservationEvent = Extract<
  Recorded,
  { readonly type: Exclude<keyof typeof reservationEvents, 'MatchOffered' | 'ReservationOfferRefused'> }
>

/** @param time of the event, in Unix milliseconds */
export const evolveCalendar = (
  { windows, released, ended }: Reservations,
  event: ReservationEvent,
  time: number,
): Partial<Reservations> => {
  const { _id } = event.data
  switch (event.type) {
    case 'ReservationCreated': {
      const { actor, client } = event.metadata
      // One made for another user is not bound to a client until its holder binds it.
      const bound = actor === event.data.user_id ? (client ?? null) : null
      return { windows: insert(windows, toHeld(event.data, time, bound)) }
    }
    case 'ReservationExtended':
    case 'ReservationShortened': {
      const { end_time } = event.data
      return { windows: change(windows, _id, { end: epochSecondsOf(end_time), endOffset: offsetOf(end_time) }) }
    }
    case 'ReservationReleased': {
      const { end_time } = event.data
      const held = find(windows, _id)
      const end = { end: epochSecondsOf(end_time), endOffset: offsetOf(end_time) }
      const times = held ? addReleased(released, { ...held, ...end }) : released
      return { windows: remove(windows, _id), released: times }
    }
    case 'ReservationCancelled':
      return { windows: remove(windows, _id) }
    case 'ReservationBound':
      return { windows: change(windows, _id, { client: event.metadata.client ?? null }) }
    case 'ReservationUnbound':
      return { windows: change(windows, _id, { client: null }) }
    case 'ReservationKept':
      return {
        windows: change(windows, _id, {
          kept: time,
          ...(event.metadata.role !== 'system' && { hasHeartbeats: true }),
        }),
      }
    case 'ReservationStarted':
      return { windows: change(dropBefore(windows, _id), _id, { started: true }) }
    case 'ReservationEnded': {
      const held = find(windows, _id)
      return {
        windows: remove(dropBefore(windows, _id), _id),
        ended: held ? [...ended.slice(1 - ENDED_MAX), held] : ended,
      }
    }
  }
}

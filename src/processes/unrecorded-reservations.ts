import type { Views } from '../read-models/views.ts'
import { makeDueTimes } from './due-times.ts'
import type { UpcomingReservations } from './upcoming.ts'

/** A reservation whose start or end has not been recorded. */
interface Unrecorded {
  readonly sut_id: string
  /** When it ends, in Unix milliseconds. */
  readonly ends: number
  /** Whether its start has been recorded, or must not be. */
  readonly hasStarted: boolean
}

/** Maximum reservations kept here. The rest is left to a catch-up, as after a downtime. */
const WAITING_MAX = 200_000
/** Between catch-ups for those that could not be kept. */
const OVERFLOW_INTERVAL_MS = 60_000

interface Options {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'watch'>
  /** Unix milliseconds: what was due earlier is not recorded. */
  readonly from: number
  readonly waitingMax?: number
}

/** Starts and ends that are still to be recorded: follows the upcoming reservations and what all instances record. */
export const followUnrecorded = (options: Options) => {
  const { upcoming, views, from, waitingMax = WAITING_MAX } = options
  const dueTimes = makeDueTimes()
  const waiting = new Map<string, Unrecorded>()
  /** The first and the last end of reservations that could not be kept. */
  let overflow: { readonly from: number; readonly to: number } | undefined

  /** Waits for a moment, in Unix milliseconds. */
  const wait = (id: string, moment: number, reservation: Unrecorded): void => {
    if (waiting.size >= waitingMax && !waiting.has(id)) {
      const { ends } = reservation
      overflow = { from: Math.min(overflow?.from ?? ends, ends), to: Math.max(overflow?.to ?? ends, ends) }
    } else {
      waiting.set(id, reservation)
      dueTimes.set(id, moment)
    }
  }
  const forget = (id: string): void => {
    waiting.delete(id)
    dueTimes.delete(id)
  }

  upcoming.observe((id, reservation) => {
    if (reservation === undefined) return forget(id)
    const { sut_id, begins, ends } = reservation
    const hasStarted = waiting.get(id)?.hasStarted ?? begins < from
    wait(id, hasStarted ? ends : begins, { sut_id, ends, hasStarted })
  })
  const unwatch = views.watch((events) => {
    for (const { type, data } of events) {
      if (type === 'ReservationEnded') forget(data._id)
      const started = type === 'ReservationStarted' ? waiting.get(data._id) : undefined
      if (started && type === 'ReservationStarted') wait(data._id, started.ends, { ...started, hasStarted: true })
    }
  })

  return {
    get: (id: string): Unrecorded | undefined => waiting.get(id),
    wait,
    forget,
    takeDue: dueTimes.takeDue,
    /** Whether a reservation that could not be kept has ended. True once a minute until all of them have. */
    takeOverflow: (now: number): boolean => {
      if (overflow === undefined || now < overflow.from) return false
      overflow = now < overflow.to ? { ...overflow, from: now + OVERFLOW_INTERVAL_MS } : undefined
      return true
    },
    close: unwatch,
  }
}

export type UnrecordedReservations = ReturnType<typeof followUnrecorded>

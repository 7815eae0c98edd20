import { useEffect } from 'preact/hooks'
import { type Reservation, type Sut, takenOf } from '../../data/objects.ts'
import { midnightOf, toIso } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { useReserved } from '../../page/use-timeline.ts'
import { type Command, useCommand, useIsMounted } from '../../parts/commands/command.tsx'
import type { Schemas } from '../../service/api.ts'
import { floorQuarter, type Stretch } from '../schedule/calendar.ts'
import { occurrencesOf, TIMES_MAX, weekly } from './dates.ts'

/** Called with what was made or cancelled, unless one has gone on to something else. */
type OnDone = (all: readonly Reservation[]) => void

/** Series: made as a whole, and what has not begun of them cancelled as a whole. */
export const useSeries = (command: Command) => {
  const { reservations } = usePage()
  const isMounted = useIsMounted()
  const act = (path: string, body: object, show: (each: Reservation) => void, onDone?: OnDone) =>
    command.send(`/api/sut_reservation_series/${path}`, { body }, ({ value }) => {
      const { series_id, sut_reservations } = value as Schemas['SeriesReservations']
      const all = sut_reservations.map((each) => ({ ...each, series_id }))
      for (const each of all) show(each)
      if (isMounted()) onDone?.(all)
    })
  return {
    create: (body: object, onDone: OnDone) => act('create', body, reservations.put, onDone),
    /** Cancels what has not begun of a series. */
    cancelRest: (id: string, onDone?: OnDone) =>
      act(`${encodeURIComponent(id)}/cancel`, {}, ({ _id }) => reservations.remove(_id), onDone),
  }
}

/** Two months. */
export const USUAL_TIMES = 8

interface Options {
  readonly sut: Sut
  readonly window: Stretch
  readonly userId: string
  readonly times: number
  /** Called with what was made. */
  readonly onDone: (all: readonly Reservation[]) => void
}

export type Weekly = ReturnType<typeof useWeekly>

/** `window` is what would be held first: after a release it may begin within a quarter, which later ones do not. */
export const useWeekly = ({ sut, window, userId, times, onDone }: Options) => {
  const command = useCommand()
  const { create } = useSeries(command)
  const first = { from: floorQuarter(window.from), to: window.to }
  const day = midnightOf(first.from, -1)
  // A year and what the longest reservation may add, so that another number of dates is known at once.
  const { value, failed } = useReserved({ from: day, to: midnightOf(day, 7 * (TIMES_MAX + 2)) }, [sut._id])
  const windows = [window, ...weekly(first, times).slice(1)]
  // Undefined until it was read what is in the way of each. The service is the judge.
  const occurrences = value && occurrencesOf(windows, takenOf(sut, value.get(sut._id)))
  const isFree = occurrences?.every((each) => each.taken === undefined) ?? false
  const reserve = async (isBeyondQuota = false): Promise<void> => {
    if (!isFree || command.isOff) return
    const body = {
      ...{ user_id: userId, sut_id: sut._id, start_time: toIso(first.from), end_time: toIso(first.to) },
      ...(isBeyondQuota && { beyond_quota: true }),
      // The service works out the dates, in the browser's zone.
      rrule: `FREQ=WEEKLY;COUNT=${times}`,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
    }
    await create(body, onDone)
  }
  // Why something else was refused does not matter any more.
  useEffect(command.forgive, [first.from, first.to, times, userId])
  return { command, first, occurrences, failed, isFree, reserve }
}

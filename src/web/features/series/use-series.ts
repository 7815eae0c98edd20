import { useEffect } from 'preact/hooks'
import type { Reservation, Sut } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { useIsMounted } from '../../page/mounted.ts'
import { type Command, useCommand } from '../../parts/commands/command.tsx'
import type { Schemas } from '../../service/api.ts'
import type { Stretch } from '../schedule/calendar.ts'
import { firstOf, seriesBodyOf, useOccurrences } from './series-fields.tsx'

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

export const useWeekly = ({ sut, window, userId, times, onDone }: Options) => {
  const command = useCommand()
  const { create } = useSeries(command)
  const first = firstOf(window)
  const dates = useOccurrences(sut, window, times)
  const isFree = dates.occurrences?.every((each) => each.taken === undefined) ?? false
  const reserve = async (isBeyondQuota = false): Promise<void> => {
    if (!isFree || command.isOff) return
    const beyond = isBeyondQuota ? ({ beyond_quota: true } as const) : {}
    const body = seriesBodyOf(sut._id, first, times, { user_id: userId, ...beyond })
    await create(body, onDone)
  }
  // Why something else was refused does not matter any more.
  useEffect(command.forgive, [first.from, first.to, times, userId])
  return { command, first, dates, isFree, reserve }
}

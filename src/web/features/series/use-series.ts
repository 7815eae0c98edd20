import type { Reservation } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { useIsMounted } from '../../page/mounted.ts'
import type { Command } from '../../parts/commands/command.tsx'
import type { Schemas } from '../../service/api.ts'

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

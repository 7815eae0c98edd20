import type { Reservation } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { type Command, useCommand, useIsMounted } from '../../parts/commands/command.tsx'

export interface ReservationCommand extends Command {
  /**
   * Sends `create`, or `extend`, `shorten`, `cancel` or `update` of the reservation, and shows the answer everywhere.
   * `onDone` is not called when one has gone on to something else.
   */
  readonly act: (verb: string, body?: object, onDone?: (reservation: Reservation) => void) => ReturnType<Command['run']>
}

/** Commands about a reservation; without an id, about one that is to be made. */
export const useReservation = (id?: string): ReservationCommand => {
  const { reservations, clock } = usePage()
  const command = useCommand()
  const isMounted = useIsMounted()
  const act: ReservationCommand['act'] = (verb, body, onDone) => {
    const path = `/api/sut_reservation/${id === undefined ? verb : `${id}/${verb}`}`
    return command.send(path, { body }, ({ value, position }) => {
      const reservation = value as Reservation
      const isCancelled = verb === 'cancel'
      // What had not begun is gone, and answered as it was.
      if (isCancelled && Date.parse(reservation.start_time) > clock.peek()) reservations.remove(reservation._id)
      else reservations.put(reservation, isCancelled ? undefined : position)
      if (isMounted()) onDone?.(reservation)
    })
  }
  return { ...command, act }
}

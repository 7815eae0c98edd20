import { bookedOf, type Reservation, type Sut, takenOf } from '../../data/objects.ts'
import type { Booked, Taken } from '../../features/schedule/calendar.ts'
import { HOUR } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { useMachines, useOneReservation, useReserved } from '../../page/use-timeline.ts'

/** What a screen is of. Members are undefined until they were read. */
export interface Subject {
  readonly name: string
  readonly sut: Sut | undefined
  readonly reservation: Reservation | undefined
  readonly own: Booked | undefined
  readonly taken: readonly Taken[] | undefined
}

/** How far back reservations are read: the machine may still be turned around after one, for a day at most. */
const BEFORE_MS = 25 * HOUR
const AHEAD_MS = 7 * 24 * HOUR

export const useSubject = (id: string): Subject => {
  const { minute } = usePage()
  const reservation = useOneReservation(id)
  const machines = useMachines()
  const hour = Math.floor(minute.value / HOUR) * HOUR
  const sutIds = reservation === undefined ? [] : [reservation.sut_id]
  const { value: booked } = useReserved({ from: hour - BEFORE_MS, to: hour + AHEAD_MS }, sutIds)
  const sut = machines.get(reservation?.sut_id ?? '')
  return {
    name: sut?.name ?? 'the machine',
    sut,
    reservation,
    own: reservation && bookedOf(reservation),
    taken: sut && booked && takenOf(sut, booked.get(sut._id)),
  }
}

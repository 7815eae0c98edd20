import type { NamedReservation, Reservation, Sut } from '../../live/objects.ts'
import { usePage } from '../../page/context.ts'
import { useReading } from '../../page/reading.ts'
import type { Booked } from '../../timeline/calendar.ts'
import { toIso } from '../../timeline/times.ts'

/** What a screen is of. Members are undefined until they were read. */
export interface Subject {
  readonly name: string
  readonly sut: Sut | undefined
  readonly reservation: NamedReservation | undefined
  readonly own: Booked | undefined
  readonly booked: readonly Booked[] | undefined
}

const toBooked = ({ _id, user_id, start_time, end_time }: Reservation): Booked => ({
  ...{ _id, userId: user_id, from: Date.parse(start_time), to: Date.parse(end_time) },
})

/** Reads the reservation, its machine, and by what that is taken from now on. */
export const useSubject = (id: string): Subject => {
  const { api } = usePage()
  const { value } = useReading(`screen ${id}`, async () => {
    const path = `/api/sut_reservation/${encodeURIComponent(id)}?include=names,state`
    const { value: reservation } = await api.get<NamedReservation>(path)
    const { sut_id } = reservation
    const [sut, list] = await Promise.all([
      api.get<Sut>(`/api/sut/${sut_id}`),
      api.get<{ sut_reservations: readonly Reservation[] }>(
        `/api/sut_reservation?sut_id=${sut_id}&from=${toIso(Date.now())}&limit=1000`,
      ),
    ])
    const booked = list.value.sut_reservations.map(toBooked).toSorted((a, b) => a.from - b.from)
    return { reservation, sut: sut.value, booked }
  })
  return {
    name: value?.sut.name ?? 'the machine',
    sut: value?.sut,
    reservation: value?.reservation,
    own: value && toBooked(value.reservation),
    booked: value?.booked,
  }
}

import { useRef } from 'preact/hooks'
import { bookedOf, type NamedReservation, type Sut, takenOf } from '../../data/objects.ts'
import type { About } from '../../data/reading.ts'
import type { Booked, Taken } from '../../features/schedule/calendar.ts'
import { HOUR, toIso } from '../../format/times.ts'
import { useReading } from '../../page/use-reading.ts'

/** What a screen is of. Members are undefined until they were read. */
export interface Subject {
  readonly name: string
  readonly sut: Sut | undefined
  readonly reservation: NamedReservation | undefined
  readonly own: Booked | undefined
  /** What is taken of the machine. */
  readonly taken: readonly Taken[] | undefined
}

/** How far back reservations are read: the machine may still be turned around after one, for a day at most. */
const BEFORE_MS = 25 * HOUR

/** Reads the reservation, its machine, and what is taken of that. */
export const useSubject = (id: string): Subject => {
  const sutId = useRef<string | undefined>(undefined)
  const of: About['of'] = ({ kind, _id, sut_id }) =>
    _id === id || (kind !== 'session' && (sut_id ?? _id) === sutId.current) ? _id : undefined
  const { value } = useReading(
    `screen ${id}`,
    async (api) => {
      const { value } = await api.get(`/api/sut_reservation/${encodeURIComponent(id)}?include=names,state`)
      const reservation = value as NamedReservation
      const { sut_id } = reservation
      sutId.current = sut_id
      const [sut, list] = await Promise.all([
        api.get(`/api/sut/${sut_id}?include=settings`),
        api.get(`/api/sut_reservation?sut_id=${sut_id}&from=${toIso(Date.now() - BEFORE_MS)}&limit=1000`),
      ])
      const booked = list.value.sut_reservations.map(bookedOf).toSorted((a, b) => a.from - b.from)
      return { reservation, sut: sut.value, taken: takenOf(sut.value, booked) }
    },
    { of },
  )
  return {
    name: value?.sut.name ?? 'the machine',
    sut: value?.sut,
    reservation: value?.reservation,
    own: value && bookedOf(value.reservation),
    taken: value?.taken,
  }
}

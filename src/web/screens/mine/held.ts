import type { Connected, NamedReservation, Reservation, Sut } from '../../live/objects.ts'
import { usePage } from '../../page/context.ts'
import { type Reading, useReading } from '../../page/reading.ts'
import { Refused } from '../../service/api.ts'
import type { Booked } from '../../timeline/calendar.ts'
import { toIso } from '../../timeline/times.ts'

/** Machines of own reservations of which details are shown, at most. */
const MOST = 50
/** Milliseconds ahead in which it is known what follows a reservation. */
const AHEAD = 7 * 24 * 3_600_000

/** The machines of own reservations, and by what they are taken, by id. */
export const useMachines = (ids: readonly string[]) => {
  const { api } = usePage()
  const shown = [...new Set(ids)].slice(0, MOST)
  const readOne = async (id: string): Promise<readonly Sut[]> => {
    try {
      return [(await api.get<Sut>(`/api/sut/${id}`)).value]
    } catch (error) {
      // A retired machine, or one that has left the scope.
      if (error instanceof Refused && error.status === 404) return []
      throw error
    }
  }
  const suts = useReading(`suts ${shown.join()}`, async () => {
    const read = (await Promise.all(shown.map(readOne))).flat()
    return new Map(read.map((sut) => [sut._id, sut]))
  })
  const booked = useReading(`booked ${shown.join()}`, async () => {
    const now = Date.now()
    if (shown.length === 0) return new Map<string, readonly Booked[]>()
    const query = `${shown.map((id) => `sut_id=${id}`).join('&')}&from=${toIso(now)}&to=${toIso(now + AHEAD)}&limit=1000`
    const { value } = await api.get<{ sut_reservations: readonly Reservation[] }>(`/api/sut_reservation?${query}`)
    const all = value.sut_reservations.map(({ _id, sut_id, user_id, start_time, end_time }) => ({
      ...{ _id, sut_id, userId: user_id, from: Date.parse(start_time), to: Date.parse(end_time) },
    }))
    const sorted = all.toSorted((a, b) => a.from - b.from)
    return new Map(shown.map((id) => [id, sorted.filter(({ sut_id }) => sut_id === id)]))
  })
  return { suts: suts.value, booked: booked.value }
}

export interface PastList {
  readonly reservations: readonly NamedReservation[]
  /** Milliseconds of connections, by reservation. */
  readonly used: ReadonlyMap<string, number>
  /** Whether there are older ones that were not read. */
  readonly hasMore: boolean
}

const sumUsed = (sessions: readonly Connected[], now: number): ReadonlyMap<string, number> => {
  const used = new Map<string, number>()
  for (const { reservation_id, opened_at, closed_at } of sessions) {
    const milliseconds = (closed_at === null ? now : Date.parse(closed_at)) - Date.parse(opened_at)
    used.set(reservation_id, (used.get(reservation_id) ?? 0) + milliseconds)
  }
  return used
}

/** The own reservations that are over, were released or cancelled: the newest, and how long they were used. */
export const usePast = (userId: string, most: number): Reading<PastList> => {
  const { api } = usePage()
  return useReading(`past ${most}`, async () => {
    const query = `user_id=${userId}&include=names,state,cancelled&limit=${most}`
    const list = await api.get<{ count: number; sut_reservations: readonly NamedReservation[] }>(
      `/api/sut_reservation?${query}`,
    )
    const { count, sut_reservations: all } = list.value
    const past = all.filter(({ state }) => state !== 'running' && state !== 'ahead')
    const first = Math.min(...past.map(({ start_time }) => Date.parse(start_time)))
    const sessions =
      past.length === 0
        ? []
        : (
            await api.get<{ sessions: readonly Connected[] }>(
              `/api/session?user_id=${userId}&from=${toIso(first)}&limit=1000`,
            )
          ).value.sessions
    const reservations = past.toSorted((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time))
    return { reservations, used: sumUsed(sessions, Date.now()), hasMore: count > all.length }
  })
}

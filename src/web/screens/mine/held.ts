import { readReservations, readSut } from '../../data/lists.ts'
import type { Change } from '../../data/news.ts'
import { bookedOf, type NamedReservation } from '../../data/objects.ts'
import { type About, ofKinds } from '../../data/reading.ts'
import { toIso } from '../../format/times.ts'
import { type Reading, useReading } from '../../page/use-reading.ts'
import type { Schemas } from '../../service/api.ts'

/** Machines of own reservations of which details are shown, at most. */
const MOST = 50
/** How far ahead reservations are read, to know what follows one. */
const AHEAD_MS = 7 * 24 * 3_600_000

/** The machines of own reservations, and by what they are taken, by id. */
export const useMachines = (ids: readonly string[]) => {
  const shown = [...new Set(ids)].slice(0, MOST)
  const of = (kind: Change['kind']): About => ({
    of: (change) => {
      const id = change.sut_id ?? change._id
      return change.kind === kind && shown.includes(id) ? id : undefined
    },
  })
  const suts = useReading(
    `suts ${shown.join()}`,
    async (api) =>
      new Map((await Promise.all(shown.map((id) => readSut(api, id)))).flatMap((sut) => (sut ? [[sut._id, sut]] : []))),
    of('sut'),
  )
  const booked = useReading(
    `booked ${shown.join()}`,
    async (api) => {
      const now = Date.now()
      const read = await readReservations(api, { from: now, to: now + AHEAD_MS }, shown)
      const sorted = read.toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time))
      return new Map(shown.map((id) => [id, sorted.filter(({ sut_id }) => sut_id === id).map(bookedOf)]))
    },
    of('sut_reservation'),
  )
  return { suts: suts.value, booked: booked.value }
}

export interface PastList {
  readonly reservations: readonly NamedReservation[]
  /** Milliseconds of connections, by reservation. */
  readonly used: ReadonlyMap<string, number>
  /** Whether there are older ones that were not read. */
  readonly hasMore: boolean
}

const sumUsed = (sessions: readonly Schemas['Session'][], now: number): ReadonlyMap<string, number> => {
  const used = new Map<string, number>()
  for (const { reservation_id, opened_at, closed_at } of sessions) {
    const milliseconds = (closed_at === null ? now : Date.parse(closed_at)) - Date.parse(opened_at)
    used.set(reservation_id, (used.get(reservation_id) ?? 0) + milliseconds)
  }
  return used
}

/** The own reservations that are over, were released or cancelled: the newest, and how long they were used. */
export const usePast = (userId: string, most: number, version: string): Reading<PastList> =>
  useReading(
    `past ${most}`,
    async (api) => {
      const query = `user_id=${userId}&include=names,state,cancelled&limit=${most}`
      const list = await api.get(`/api/sut_reservation?${query}`)
      const { count, sut_reservations: all } = list.value
      const past = (all as readonly NamedReservation[]).filter(({ state }) => state !== 'running' && state !== 'ahead')
      const first = Math.min(...past.map(({ start_time }) => Date.parse(start_time)))
      const sessions =
        past.length === 0
          ? []
          : (await api.get(`/api/session?user_id=${userId}&from=${toIso(first)}&limit=1000`)).value.sessions
      const reservations = past.toSorted((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time))
      return { reservations, used: sumUsed(sessions, Date.now()), hasMore: count > all.length }
    },
    ofKinds('session'),
    version,
  )

import { readAll } from '../../data/lists.ts'
import type { NamedReservation } from '../../data/objects.ts'
import { ofKinds } from '../../data/query.ts'
import { HOUR, toIso } from '../../format/format.ts'
import { type Reading, usePage, useReading } from '../../page/context.ts'
import { useReserved } from '../../page/use-timeline.ts'
import type { Schemas } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'

type Connection = Schemas['Session']

const MOST = 50
/** How far ahead reservations are read, to know what follows one. */
const AHEAD_MS = 7 * 24 * HOUR

export const useBooked = (sutIds: readonly string[]) => {
  const hour = Math.floor(usePage().minute.value / HOUR) * HOUR
  return useReserved({ from: hour, to: hour + AHEAD_MS }, [...new Set(sutIds)].slice(0, MOST)).value
}

interface PastList {
  readonly reservations: readonly NamedReservation[]
  /** Milliseconds of connections, by reservation. */
  readonly used: ReadonlyMap<string, number>
  readonly hasMore: boolean
}

const sumUsed = (sessions: readonly Connection[], now: number): ReadonlyMap<string, number> => {
  const used = new Map<string, number>()
  for (const { reservation_id, opened_at, closed_at } of sessions) {
    const milliseconds = (closed_at === null ? now : Date.parse(closed_at)) - Date.parse(opened_at)
    used.set(reservation_id, (used.get(reservation_id) ?? 0) + milliseconds)
  }
  return used
}

export const usePast = (userId: string, most: number, version: string): Reading<PastList> =>
  useReading(
    {
      ...{ key: `past ${most}`, family: 'past', ...ofKinds('session') },
      read: async (source) => {
        const path = `/api/sut_reservation?user_id=${userId}&include=names,state,cancelled`
        // One more tells whether there are more.
        const all = await readAll<NamedReservation>(source, path, 'sut_reservations', most + 1)
        const past = all.slice(0, most).filter(({ state }) => state !== 'running' && state !== 'ahead')
        const from = Math.min(...past.map(({ start_time }) => Date.parse(start_time)))
        const sessions =
          past.length === 0
            ? []
            : await readAll<Connection>(source, `/api/session?user_id=${userId}&from=${toIso(from)}`, 'sessions')
        const reservations = past.toSorted((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time))
        return { reservations, used: sumUsed(sessions, currentTime()), hasMore: all.length > most }
      },
    },
    version,
  )

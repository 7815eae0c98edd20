import { NOTHING } from '../../data/query.ts'
import { formatWhen } from '../../format/format.ts'
import { usePage, useReading } from '../../page/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { currentTime } from '../../service/time.ts'

/** Reservations that are released unless something keeps them alive, such as those of pipelines. */

/** Between reads, as no change tells that one was kept alive: half of the time that is left, within these bounds. */
const LEAST_INTERVAL_MS = 10_000
const MOST_INTERVAL_MS = 300_000

/** Until when a reservation is kept, in Unix milliseconds; undefined where it need not be, and until that was read. */
const useKeptUntil = (id: string): number | undefined =>
  useReading({
    ...{ key: `kept ${id}`, ...NOTHING },
    read: async (source) => {
      const { keptUntil } = await source.get(`/api/sut_reservation/${id}`)
      return keptUntil === undefined ? undefined : Date.parse(keptUntil)
    },
    again: (until) => until && Math.min(Math.max((until - currentTime()) / 2, LEAST_INTERVAL_MS), MOST_INTERVAL_MS),
  }).value

export const KeptNote = ({ id, end }: { readonly id: string; readonly end: number }) => {
  const now = usePage().clock.value
  const until = useKeptUntil(id)
  if (until === undefined || until >= end) return undefined
  return (
    <span class="small muted row may">
      <Icon name="clock" />
      Kept until {formatWhen(until, now)}, then released unless kept alive
    </span>
  )
}

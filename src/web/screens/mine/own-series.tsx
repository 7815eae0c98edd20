import { useState } from 'preact/hooks'
import { readAll } from '../../data/lists.ts'
import type { Reservation } from '../../data/objects.ts'
import { NOTHING } from '../../data/query.ts'
import { ruleText } from '../../features/series/dates.ts'
import { seriesText } from '../../features/series/series.tsx'
import { useReading } from '../../page/context.ts'
import { Ahead } from './own-rows.tsx'
import type { Held } from './running.tsx'

const MOST = 50

/** The rules of the series that own reservations belong to, by id. Once made they stay the same. */
export const useRules = (
  userId: string,
  reservations: readonly Reservation[],
): ReadonlyMap<string, string> | undefined => {
  const ids = [...new Set(reservations.flatMap(({ series_id }) => series_id ?? []))].sort()
  return useReading({
    ...{ key: `rules ${ids.join()}`, ...NOTHING },
    read: async (api) => {
      if (ids.length === 0) return new Map<string, string>()
      const path = `/api/sut_reservation_series?user_id=${encodeURIComponent(userId)}`
      const series = await readAll<{ _id: string; rrule: string }>(api, path, 'sut_reservation_series')
      return new Map(series.map(({ _id, rrule }) => [_id, rrule]))
    },
  }).value
}

interface Props {
  readonly all: readonly Held[]
  readonly rrule: string | undefined
}

export const SeriesAhead = ({ all, rrule = '' }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [first, ...others] = all
  if (first === undefined) return undefined
  const { reservation } = first
  const rule = ruleText(rrule, Date.parse(reservation.start_time))
  const rest = { seriesId: reservation.series_id ?? '', count: all.length }
  const about =
    others.length === 0 ? (
      <span class="muted clip">{seriesText(rule, 0)}</span>
    ) : (
      <button type="button" class="more muted clip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {seriesText(rule, others.length)}
      </button>
    )
  return (
    <div>
      <Ahead key={reservation._id} held={first} icon="repeat" about={about} rest={rest} />
      {isOpen && others.slice(0, MOST).map((held) => <Ahead key={held.reservation._id} held={held} icon="repeat" />)}
      {isOpen && others.length > MOST && <p class="small muted">and {others.length - MOST} later</p>}
    </div>
  )
}

import { ofUser } from '../../data/query.ts'
import { formatCount, formatNumber } from '../../format/format.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import { hoursTextOf, type Used } from './user.ts'

/** Hundredths from which a quota is nearly used up. */
const NEAR = 90

export const HoursMeter = ({ used: { hours, quota } }: { readonly used: Used }) => {
  const most = quota?.hours_per_week ?? null
  if (most === null) return undefined
  const share = most === 0 ? 100 : Math.min(100, Math.round((hours / most) * 100))
  return (
    <span class={share >= NEAR ? 'meter near' : 'meter'}>
      <i style={{ width: `${share}%` }} />
    </span>
  )
}

/** How the quota is used. */
export const Quota = () => {
  const used = useUsed().value?.used
  if (used === undefined) return undefined
  const count = used.quota?.reservations_max ?? null
  const text =
    count === null
      ? formatCount(used.reservations, 'open reservation')
      : `${formatNumber(used.reservations)} of ${formatCount(count, 'open reservation')}`
  return (
    <div class="stack">
      <div class="row">
        <h2 class="grow">This week</h2>
        <span class="num second">{hoursTextOf(used)}</span>
      </div>
      <HoursMeter used={used} />
      <p class="small muted">{text}. Resets Monday, 00:00 UTC.</p>
    </div>
  )
}

export const useUsed = (): Reading<{ readonly used?: Used }> => {
  const page = usePage()
  const windows = page.reservations.own.value.map(({ _id, start_time, end_time }) => [_id, start_time, end_time])
  return useReading(
    {
      ...{ key: 'used', ...ofUser(meOf(page)._id) },
      read: async (source) => (await source.get('/api/user/me?include=used')).value,
    },
    windows.join(),
  )
}

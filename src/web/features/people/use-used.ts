import { versionOf } from '../../data/own.ts'
import { ofUser } from '../../data/reading.ts'
import { meOf, usePage } from '../../page/context.ts'
import { type Reading, useReading } from '../../page/use-reading.ts'
import type { Used } from './user.ts'

/** How the signed-in user's quota is used, and what it allows. */
export const useUsed = (): Reading<{ readonly used?: Used }> => {
  const page = usePage()
  const { reservations } = page.own.own.value
  return useReading(
    'used',
    async (api) => (await api.get('/api/user/me?include=used')).value,
    ofUser(meOf(page)._id),
    versionOf(reservations),
  )
}

import { ofUser } from '../../data/query.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import type { Used } from './user.ts'

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

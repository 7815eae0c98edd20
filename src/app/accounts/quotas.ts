import { makeQuotas, type Quotas } from '../../commands/quotas.ts'
import type { Quota } from '../../domain/events/user.ts'
import { makeUsages } from '../../read-models/usages.ts'
import type { Lab } from '../core/base.ts'

const limitsReservations = ({ hours_per_week, reservations_max }: Quota): boolean =>
  hours_per_week !== null || reservations_max !== null

/** Keeps testers to their quotas. */
export const openQuotas = ({ config, users, views, clock, opened }: Lab): Quotas => {
  const usages = makeUsages({ views, clock })
  opened.defer(usages.close)
  const quotaOf = (userId: string): Quota | undefined => {
    const member = users.member(userId)
    return member?.role === 'tester' ? (member.quota ?? config.quotaDefault) : undefined
  }
  return makeQuotas({
    quotaOf: (userId) => {
      const quota = quotaOf(userId)
      return quota !== undefined && limitsReservations(quota) ? quota : undefined
    },
    priorityMaxOf: (userId) => quotaOf(userId)?.priority_max ?? null,
    usageOf: usages.of,
    waitForViews: (storePosition) => views.waitForStorePosition(storePosition),
  })
}

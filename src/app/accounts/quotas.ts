import { makeQuotas, type Quotas } from '../../commands/quotas.ts'
import { makeUsages } from '../../read-models/usages.ts'
import type { Lab } from '../core/base.ts'

/** Keeps testers to their quotas. */
export const openQuotas = ({ config, users, views, clock, opened }: Lab): Quotas => {
  const usages = makeUsages({ views, clock })
  opened.defer(usages.close)
  return makeQuotas({
    quotaOf: (userId) => {
      const member = users.member(userId)
      return member?.role === 'tester' ? (member.quota ?? config.quotaDefault) : undefined
    },
    usageOf: usages.of,
    waitForViews: (storePosition) => views.waitForStorePosition(storePosition),
  })
}

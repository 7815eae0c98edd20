import { makeQuotas, type Quotas } from '../commands/quotas.ts'
import type { Quota } from '../domain/events/user.ts'
import { makeUsages } from '../read-models/usages.ts'
import type { Views } from '../read-models/views.ts'
import type { Users } from '../users/users.ts'

interface OpenQuotasOptions {
  readonly quotaDefault: Quota
  readonly users: Pick<Users, 'member'>
  readonly views: Views
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Finds the quotas of testers that limit reservations. */
const makeQuotaOf =
  ({ quotaDefault, users }: OpenQuotasOptions) =>
  (userId: string): Quota | undefined => {
    const member = users.member(userId)
    if (member?.role !== 'tester') return undefined
    const quota = member.quota ?? quotaDefault
    return quota.hours_per_week === null && quota.reservations_max === null ? undefined : quota
  }

/** Keeps testers to their quotas. Returns the function that ends this too. */
export const openQuotas = (options: OpenQuotasOptions): { readonly quotas: Quotas; readonly close: () => void } => {
  const { views, clock } = options
  const usages = makeUsages({ views, clock })
  const quotas = makeQuotas({
    quotaOf: makeQuotaOf(options),
    usageOf: usages.of,
    waitForViews: (storePosition) => views.waitForStorePosition(storePosition),
  })
  return { quotas, close: usages.close }
}

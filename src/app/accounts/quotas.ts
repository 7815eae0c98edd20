import { makeQuotas, type Quotas } from '../../commands/quotas.ts'
import type { Quota } from '../../domain/events/user.ts'
import { makeUsages } from '../../read-models/usages.ts'
import type { Opened } from './opened.ts'

interface OpenQuotasOptions extends Pick<Opened, 'users' | 'views' | 'clock'> {
  readonly quotaDefault: Quota
}

/** Finds the quotas of testers. */
const makeQuotaOf =
  ({ quotaDefault, users }: OpenQuotasOptions) =>
  (userId: string): Quota | undefined => {
    const member = users.member(userId)
    return member?.role === 'tester' ? (member.quota ?? quotaDefault) : undefined
  }

const limitsReservations = ({ hours_per_week, reservations_max }: Quota): boolean =>
  hours_per_week !== null || reservations_max !== null

/** Keeps testers to their quotas. Returns the function that ends this too. */
export const openQuotas = (options: OpenQuotasOptions): { readonly quotas: Quotas; readonly close: () => void } => {
  const { views, clock } = options
  const usages = makeUsages({ views, clock })
  const quotaOf = makeQuotaOf(options)
  const quotas = makeQuotas({
    quotaOf: (userId) => {
      const quota = quotaOf(userId)
      return quota !== undefined && limitsReservations(quota) ? quota : undefined
    },
    priorityMaxOf: (userId) => quotaOf(userId)?.priority_max ?? null,
    usageOf: usages.of,
    waitForViews: (storePosition) => views.waitForStorePosition(storePosition),
  })
  return { quotas, close: usages.close }
}

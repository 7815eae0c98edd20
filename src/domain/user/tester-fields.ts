import type { Quota, Role } from '../events/user.ts'
import { bodyProblem } from '../failure.ts'
import { changeQuota, type QuotaChange } from './quota.ts'

export interface QuotaFields {
  /** The limits to set; null for the service's default. */
  readonly quota?: QuotaChange | null | undefined
  /** The service's default. A user without a quota of its own gets the limits that `quota` omits from it. */
  readonly quotaDefault: Quota
}

/** Quotas and scopes are for testers. */
export const fieldProblems = (
  role: Role,
  { quota, scope }: Pick<QuotaFields, 'quota'> & { readonly scope?: string | undefined },
) => [
  ...(role !== 'tester' && quota ? [bodyProblem('invalid', 'quota', 'is for testers only')] : []),
  ...(role !== 'tester' && scope ? [bodyProblem('invalid', 'scope', 'is for testers only')] : []),
]

/** The quota that a command sets; undefined if it names no limit. */
export const newQuota = ({ quota, quotaDefault }: QuotaFields, own: Quota | null): Quota | null | undefined => {
  if (!quota) return quota
  return Object.keys(quota).length === 0 ? undefined : changeQuota(own ?? quotaDefault, quota)
}

import * as E from 'fp-ts/lib/Either.js'
import { Role } from '../../domain/events/user.ts'
import { formatQuota, parseQuota, type QuotaChange } from '../../domain/user/quota.ts'
import { parseScope } from '../../domain/user/scope.ts'
import { type OptionValue, WrongUsage } from '../terminal/command.ts'
import type { UserAnswer } from './members.ts'

/** What limits a tester, as a request sets it. */
interface Limits {
  readonly quota?: QuotaChange | null
  readonly scope?: string
}

export const LIMITS_HELP = `A quota has hours_per_week (0 to 168, in quarters), reservations_max (0 to 10000) and priority_max (0 to 100), some or
all, each with a number or none. Limits that are left out keep their values, or get those of the service if the tester
has no quota of its own. A scope is the tags that a SUT must have, such as team=qa1,rack=4; "" is every SUT. Only
testers have quotas and scopes.`

/** Reads a quota and a scope as typed. @throws WrongUsage */
export const readLimits = (quota: OptionValue, scope: OptionValue): Limits => {
  const read = typeof quota === 'string' ? parseQuota(quota) : undefined
  if (read !== undefined && E.isLeft(read)) throw new WrongUsage(`the quota ${read.left}`)
  const tags = typeof scope === 'string' ? parseScope(scope) : undefined
  if (tags !== undefined && E.isLeft(tags)) throw new WrongUsage(`the scope ${tags.left}`)
  return { ...(read && { quota: read.right }), ...(typeof scope === 'string' && { scope }) }
}

/** @throws WrongUsage unless it is a role */
export const readRole = (typed: OptionValue): Role => {
  if (Role.is(typed)) return typed
  throw new WrongUsage('the role must be administrator, tester or auditor')
}

/** A user's own quota and scope as text, for testers who have them. */
export const limitsOf = ({ quota, scope }: UserAnswer): { readonly quota?: string; readonly scope?: string } => ({
  ...(quota && { quota: formatQuota(quota) }),
  ...(scope && { scope }),
})

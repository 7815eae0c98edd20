/** What the form of a person says, and what of it is sent. Pure. */

import type { Role } from '../../service/session.ts'
import type { Quota, User } from './user.ts'

export const LIMITS = [
  { field: 'hours', member: 'hours_per_week', label: 'hours a week' },
  { field: 'reservations', member: 'reservations_max', label: 'open reservations' },
  { field: 'priority', member: 'priority_max', label: 'highest priority' },
] as const
export type Limit = (typeof LIMITS)[number]['field']

type Limits = Readonly<Record<Limit, string>>

export interface Values extends Limits {
  readonly name: string
  readonly role: Role
  readonly isDefault: boolean
  readonly scope: string
}

const NO_LIMITS = { hours: '', reservations: '', priority: '' }

export const EMPTY: Values = { name: '', role: 'tester', isDefault: true, scope: '', ...NO_LIMITS }

const limitsOf = (quota: Quota | null): Limits =>
  Object.fromEntries(LIMITS.map(({ field, member }) => [field, String(quota?.[member] ?? '')])) as Limits

/** `applied` is the quota that applies, where it is known. */
export const valuesOf = ({ name, role, quota, scope }: User, applied: Quota | null): Values => ({
  ...{ name, role, scope, isDefault: quota === null },
  ...limitsOf(quota ?? applied),
})

/** Types a limit. Those of one's own are there again if the default had been chosen in the form. */
export const typeLimit = (values: Values, base: Values, limit: Limit, text: string): Values => {
  const others = values.isDefault && !base.isDefault ? { ...values, ...pick(base) } : values
  return { ...others, isDefault: false, [limit]: text }
}

export const OF_QUOTA = ['isDefault', 'hours', 'reservations', 'priority'] as const

const pick = ({ hours, reservations, priority }: Values): Limits => ({ hours, reservations, priority })

export const toDefault = (values: Values, base: Values): Values => ({
  ...values,
  isDefault: true,
  ...(base.isDefault ? pick(base) : NO_LIMITS),
})

const isNumber = (text: string): boolean => /^\d+([.,]\d+)?$/.test(text.trim())

/** Limits that are no numbers. An empty one is no limit. */
export const wrongLimits = (values: Values): readonly Limit[] =>
  LIMITS.map(({ field }) => field).filter((field) => values[field].trim() !== '' && !isNumber(values[field]))

const limitOf = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim().replace(',', '.')))

const quotaChange = (values: Values, base: Values): object | null | undefined => {
  if (values.isDefault) return base.isDefault ? undefined : null
  const changed = LIMITS.filter(({ field }) => values[field].trim() !== base[field].trim())
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map(({ field, member }) => [member, limitOf(values[field])]))
}

/** What differs. Only testers have a quota and a scope. */
export const changesOf = (values: Values, base: Values): Readonly<Record<string, unknown>> => {
  const quota = quotaChange(values, base)
  const [scope, name] = [values.scope.trim(), values.name.trim()]
  return {
    ...(name !== base.name && { name }),
    ...(values.role !== base.role && { role: values.role }),
    ...(values.role === 'tester' && quota !== undefined && { quota }),
    ...(values.role === 'tester' && scope !== base.scope && { scope }),
  }
}

export const creationOf = ({ password, ...values }: Values & { readonly password: string }) => ({
  ...{ name: '', role: values.role, ...changesOf(values, EMPTY) },
  ...(password !== '' && { password }),
})

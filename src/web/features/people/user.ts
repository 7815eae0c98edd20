import { formatHours } from '../../format/format.ts'
import type { Role } from '../../service/session.ts'

/** Users, as administrators and they themselves see them. */

export interface Quota {
  /** `null`: no limit. */
  readonly hours_per_week: number | null
  readonly reservations_max: number | null
  readonly priority_max: number | null
}

export interface Used {
  /** Of the current week. */
  readonly hours: number
  /** Those that are not over. */
  readonly reservations: number
  /** The one that applies, the service's included; `null` for roles without one. */
  readonly quota: Quota | null
}

export interface User {
  readonly _id: string
  readonly name: string
  readonly role: Role
  /** `null`: the one of the service. */
  readonly quota: Quota | null
  /** Tags that a machine must have; empty for every machine. */
  readonly scope: string
  /** RFC 3339. */
  readonly created_at: string
  readonly removed_at?: string
  readonly erased_at?: string
}

/** With `include=used`. */
export interface ListedUser extends User {
  readonly used: Used
}

export const ROLES: readonly (readonly [Role, string])[] = [
  ['tester', 'Tester'],
  ['administrator', 'Administrator'],
  ['auditor', 'Auditor'],
]

export const roleTextOf = (role: Role): string => ROLES.find(([key]) => key === role)?.[1] ?? role

/** `30 h 45 m of 40 h`, `61 h`. */
export const hoursTextOf = ({ hours, quota }: Used): string => {
  const most = quota?.hours_per_week ?? null
  return most === null ? formatHours(hours) : `${formatHours(hours)} of ${formatHours(most)}`
}

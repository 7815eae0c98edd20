/** Users, as administrators and they themselves see them. */

import { formatHours } from '../../format/format.ts'
import type { Schemas } from '../../service/api.ts'
import type { Role } from '../../service/session.ts'

export type User = Schemas['User']
/** `null`: no limit. */
export type Quota = NonNullable<User['quota']>
/** Of the current week, and of those that are not over. The quota is the one that applies, the service's included. */
export type Used = NonNullable<User['used']>
/** With `include=used`. */
export type ListedUser = User & Required<Pick<User, 'used'>>

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

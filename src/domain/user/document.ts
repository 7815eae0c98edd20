import type { Quota } from '../events/user.ts'
import type { UserState } from './state.ts'

/** A user as returned by the API, in its field order and without its name, which is in the vault. */
export type UserDocument = Pick<
  UserState,
  '_id' | 'role' | 'quota' | 'scope' | 'created_at' | 'updated_at' | 'removed_at' | 'erased_at'
>

/** In one order, whatever order the event had: a store returns its members sorted. */
export const quotaDocument = ({ hours_per_week, reservations_max, priority_max }: Quota): Quota => ({
  hours_per_week,
  reservations_max,
  priority_max,
})

export const userDocument = (user: UserDocument): UserDocument => {
  const { _id, role, quota, scope, created_at, updated_at, removed_at, erased_at } = user
  return {
    ...{ _id, role, quota: quota && quotaDocument(quota), scope, created_at, updated_at },
    ...(removed_at !== undefined && { removed_at }),
    ...(erased_at !== undefined && { erased_at }),
  }
}

import type { Users } from '../../users/users.ts'
import type { Refusal } from '../protocol/problem.ts'

/** Names of users, which no document has: they are joined when a response is made. */
export type UserNames = (userId: string) => string

/** The name of a user, removed ones too. The id stands for a name that was erased. */
export const makeUserNames =
  (users: Pick<Users, 'member'>): UserNames =>
  (userId) =>
    users.member(userId)?.name ?? userId

type Holding = { readonly user_id: string }

/** Puts `user_name` beside `user_id`. */
export const withUserName = <A extends Holding>(object: A, nameOf: UserNames): A & { readonly user_name: string } => {
  const members = Object.entries(object).flatMap(([name, value]) =>
    name === 'user_id'
      ? [[name, value] as const, ['user_name', nameOf(object.user_id)] as const]
      : [[name, value] as const],
  )
  return Object.fromEntries(members) as A & { readonly user_name: string }
}

/** Names the holders of conflicting reservations. */
export const withNames = (refusal: Refusal, nameOf: UserNames): Refusal => {
  const conflicts = refusal.help?.conflicts?.map((conflict) => withUserName(conflict, nameOf))
  return conflicts === undefined ? refusal : { ...refusal, help: { ...refusal.help, conflicts } }
}

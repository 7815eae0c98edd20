import * as E from 'fp-ts/lib/Either.js'
import type { Event } from '../event.ts'
import type { Quota, Role, UserCredentials } from '../events/user.ts'
import { type Failure, failure, invalid, type Problem, refuse } from '../failure.ts'
import type { QuotaChange } from './quota.ts'
import type { UsersState } from './state.ts'
import { fieldProblems, newQuota } from './tester-fields.ts'

/** One of many users that are added together. */
export interface NewUser {
  readonly _id: string
  readonly role: Role
  readonly quota?: QuotaChange | null | undefined
  readonly scope?: string | undefined
  readonly credentials: UserCredentials
  /** The name case-folded; see values/user-name.ts. */
  readonly folded: string
}

/** Adds all of the users or none. Repeated with the same ids, it changes nothing. */
export interface AddUsers {
  readonly type: 'AddUsers'
  readonly users: readonly NewUser[]
  /** Folded names of users by the ids of their secrets, as in NameClaim. */
  readonly known: ReadonlyMap<string, string>
  readonly quotaDefault: Quota
}

type Decision = E.Either<Failure, readonly Event[]>

const TAKEN = 'is the name of another user; upper and lower case count as the same'

/** Problems of names that users have, or that come before among the new ones. */
const nameProblems = (users: readonly NewUser[], standing: Iterable<string | undefined>): readonly Problem[] => {
  const taken = new Set(standing)
  return users.flatMap(({ folded }, n): readonly Problem[] => {
    if (taken.has(folded)) return [{ code: 'invalid', path: ['users', String(n), 'name'], in: 'body', detail: TAKEN }]
    taken.add(folded)
    return []
  })
}

export const addUsers = (state: UsersState, { users, known, quotaDefault }: AddUsers): Decision => {
  const ids = new Set(state.users.map(({ _id }) => _id))
  const there = users.filter(({ _id }) => ids.has(_id))
  if (there.length === users.length) return E.right([])
  if (there.length > 0) return refuse('user_id_taken', 'Another user has or had the id of one of these.')
  const problems = users.flatMap((user, n) =>
    fieldProblems(user.role, user).map((each) => ({ ...each, path: ['users', String(n), ...each.path] })),
  )
  if (problems.length > 0) return E.left(invalid(problems))
  const present = state.users.filter(({ status }) => status === 'present')
  const standing = present.map(({ secrets }) => known.get(secrets.name ?? ''))
  const taken = nameProblems(users, standing)
  if (taken.length > 0) {
    const detail = `Other users have ${taken.length} of the names. Upper and lower case count as the same.`
    return E.left(failure('user_name_taken', detail, { problems: taken }))
  }
  if (standing.includes(undefined)) return refuse('unavailable', 'The names of all users are not known yet. Try again.')
  return E.right(
    users.map(({ _id, role, quota: limits, scope, credentials }) => {
      const quota = newQuota({ quota: limits, quotaDefault }, null)
      return {
        type: 'UserAdded',
        data: { _id, role, credentials, ...(quota && { quota }), ...(scope && { scope }) },
      } as const
    }),
  )
}

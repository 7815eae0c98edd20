import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import type { Quota, Role, UserCredentials } from '../events/user.ts'
import { type Failure, type FailureCode, failure, invalid, type Problem, refuse } from '../failure.ts'
import { RESERVED_USER_IDS } from '../values/user-name.ts'
import { fieldProblems, newQuota, type QuotaChange, type QuotaFields } from './quota.ts'
import type { UsersState } from './state.ts'

export interface NewUser {
  readonly _id: string
  readonly role: Role
  readonly quota?: QuotaChange | null | undefined
  readonly scope?: string | undefined
  readonly credentials: UserCredentials
  /** The name case-folded; see values/user-name.ts. */
  readonly folded: string
}

/** Adds all of the users or none. */
export interface AddUsers {
  readonly type: 'AddUsers'
  readonly users: readonly NewUser[]
  /** Folded names of users by the ids of their secrets, as in NameClaim. */
  readonly known: ReadonlyMap<string, string>
  readonly quotaDefault: Quota
}

const problemAt = (row: number, field: string, detail: string): Problem => ({
  ...{ code: 'invalid', path: ['users', String(row), field], in: 'body', detail },
})

/** What is recorded of a new user. */
export const userAdded = (fields: Pick<NewUser, '_id' | 'role' | 'credentials' | 'scope'> & QuotaFields): Event => {
  const { _id, role, credentials, scope } = fields
  const quota = newQuota(fields, null)
  return { type: 'UserAdded', data: { _id, role, credentials, ...(quota && { quota }), ...(scope && { scope }) } }
}

/** Problems of values that must be unique: those that are taken, and those that come before among the new ones. */
const repetitions = (
  field: '_id' | 'name',
  values: readonly string[],
  taken: ReadonlySet<string | undefined>,
  detail: string,
): readonly Problem[] => {
  const first = new Map<string, number>()
  return values.flatMap((value, row): readonly Problem[] => {
    const before = first.get(value)
    if (before === undefined) first.set(value, row)
    if (taken.has(value)) return [problemAt(row, field, detail)]
    return before === undefined ? [] : [problemAt(row, field, `is the same as in users/${before}`)]
  })
}

/** Refuses if a row has a problem, and names each. */
const refuseRows = (
  problems: Readonly<Record<'fields' | 'ids' | 'names', readonly Problem[]>>,
): Failure | undefined => {
  const { fields, ids, names } = problems
  const refuseAll = (code: FailureCode, detail: string) => failure(code, detail, { problems: [...ids, ...names] })
  if (fields.length > 0 || (ids.length > 0 && names.length > 0)) {
    const byRow = (one: Problem, other: Problem) => Number(one.path[1]) - Number(other.path[1])
    return invalid([...fields, ...ids, ...names].toSorted(byRow))
  }
  if (ids.length > 0) return refuseAll('user_id_taken', `Other users have or had ${ids.length} of the ids.`)
  if (names.length === 0) return undefined
  const detail = `Other users have ${names.length} of the names. Upper and lower case count as the same.`
  return refuseAll('user_name_taken', detail)
}

export const addUsers = (state: UsersState, { users, known, quotaDefault }: AddUsers): Decision => {
  const present = state.users.filter(({ status }) => status === 'present')
  const presentNames = new Set(present.map(({ secrets }) => known.get(secrets.name ?? '')))
  const refused = refuseRows({
    fields: users.flatMap((user, n) =>
      fieldProblems(user.role, user).map((each) => ({ ...each, path: ['users', String(n), ...each.path] })),
    ),
    ids: repetitions(
      '_id',
      users.map(({ _id }) => _id),
      new Set([...RESERVED_USER_IDS, ...state.users.map(({ _id }) => _id)]),
      "is the id of another user, of a former one, or one of the service's own",
    ),
    names: repetitions(
      'name',
      users.map(({ folded }) => folded),
      presentNames,
      'is the name of another user; upper and lower case count as the same',
    ),
  })
  if (refused !== undefined) return E.left(refused)
  if (presentNames.has(undefined)) return refuse('unavailable', 'The names of all users are not known yet. Try again.')
  return E.right(users.map((user) => userAdded({ ...user, quotaDefault })))
}

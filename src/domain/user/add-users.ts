import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import type { Quota, Role, UserCredentials } from '../events/user.ts'
import { type Failure, type FailureCode, failure, invalid, type Problem, refuse } from '../failure.ts'
import { RESERVED_USER_IDS } from '../values/user-name.ts'
import { fieldProblems, newQuota, type QuotaChange } from './quota.ts'
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

/** An identity at the provider of single sign-on, that no user may have yet. Known as names are. */
export interface IdentityClaim {
  readonly identity: string
  /** Identities by the id of the secret, also of removed users. */
  readonly known: ReadonlyMap<string, string>
}

/** Undefined if no user has this identity. If one has, nothing is to be recorded. */
const decideIdentity = (
  { users }: UsersState,
  { identity, known }: IdentityClaim,
): E.Either<Failure, readonly []> | undefined => {
  const ids = users.flatMap(({ secrets }) => secrets.identity ?? [])
  if (ids.some((id) => known.get(id) === identity)) return E.right([])
  if (ids.every((id) => known.has(id))) return undefined
  return refuse('unavailable', 'The identities of all users are not known yet. Try again.')
}

/** Adds all of the users or none. */
export interface AddUsers {
  readonly type: 'AddUsers'
  readonly users: readonly NewUser[]
  /** Folded names of users by the ids of their secrets, as in NameClaim. */
  readonly known: ReadonlyMap<string, string>
  readonly quotaDefault?: Quota
  /** For one who signs in with the provider: does nothing if a user with this identity has been added already. */
  readonly identity?: IdentityClaim
  /** Whether the request has a list of users, whose problems name the rows. */
  readonly isList?: boolean
}

const userAdded = ({ _id, role, quota: given, scope, credentials }: NewUser, quotaDefault?: Quota): Event => {
  const quota = newQuota({ quota: given, ...(quotaDefault && { quotaDefault }) }, null)
  return { type: 'UserAdded', data: { _id, role, credentials, ...(quota && { quota }), ...(scope && { scope }) } }
}

const problemAt = (row: number, field: string, detail: string): Problem => ({
  ...{ code: 'invalid', path: ['users', String(row), field], in: 'body', detail },
})

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
  { fields, ids, names }: Readonly<Record<'fields' | 'ids' | 'names', readonly Problem[]>>,
  isList: boolean,
): Failure | undefined => {
  const problems = [...fields, ...ids, ...names]
  const taken = (code: FailureCode, one: string, many: string): Failure =>
    isList ? failure(code, many, { problems }) : failure(code, one)
  const byRow = (one: Problem, other: Problem): number => Number(one.path[1]) - Number(other.path[1])
  if (fields.length > 0 || (isList && ids.length > 0 && names.length > 0))
    return invalid(isList ? problems.toSorted(byRow) : fields.map((each) => ({ ...each, path: each.path.slice(2) })))
  if (ids.length > 0) {
    const many = `Other users have or had ${ids.length} of the ids.`
    return taken('user_id_taken', 'Another user has or had this id.', many)
  }
  if (names.length === 0) return undefined
  const alike = 'Upper and lower case count as the same.'
  const many = `Other users have ${names.length} of the names. ${alike}`
  return taken('user_name_taken', `Another user has this name. ${alike}`, many)
}

export const addUsers = (state: UsersState, command: AddUsers): Decision => {
  const { users, known, quotaDefault, identity, isList = false } = command
  const notNew = identity && decideIdentity(state, identity)
  if (notNew !== undefined) return notNew
  const present = state.users.filter(({ status }) => status === 'present')
  const presentNames = new Set(present.map(({ secrets }) => known.get(secrets.name ?? '')))
  const problems = {
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
  }
  const refused = refuseRows(problems, isList)
  if (refused !== undefined) return E.left(refused)
  if (presentNames.has(undefined)) return refuse('unavailable', 'The names of all users are not known yet. Try again.')
  return E.right(users.map((user) => userAdded(user, quotaDefault)))
}

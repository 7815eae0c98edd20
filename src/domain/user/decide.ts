import * as E from 'fp-ts/lib/Either.js'
import type { Decider } from '../decider.ts'
import type { Event } from '../event.ts'
import type { Quota, Removal, Role, UserCredentials } from '../events/user.ts'
import { bodyProblem, type Failure, invalid, refuse } from '../failure.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { evolveUsers, findUser, packUsers, type UserState, type UsersState, unpackUsers, weighUsers } from './state.ts'

/**
 * A name that must be free. Events have no names, so the command brings those of the users it knows, by the ids of
 * their secrets. The decision is made again with more of them if a user is missing.
 */
export interface NameClaim {
  /** The name case-folded; see values/user-name.ts. */
  readonly folded: string
  /** Folded names by the id of the secret. */
  readonly known: ReadonlyMap<string, string>
}

export interface AddUser {
  readonly type: 'AddUser'
  readonly _id: string
  readonly role: Role
  readonly quota?: Quota | null | undefined
  readonly scope?: string | undefined
  readonly credentials: UserCredentials
  readonly claim: NameClaim
}

/** Omitted fields keep their values. */
export interface ChangeUser {
  readonly type: 'ChangeUser'
  readonly _id: string
  readonly role?: Role | undefined
  /** Null for the service's default. */
  readonly quota?: Quota | null | undefined
  readonly scope?: string | undefined
  readonly credentials?: UserCredentials | undefined
  /** For a new name. */
  readonly claim?: NameClaim | undefined
  readonly ifMatch?: readonly number[] | undefined
}

export interface RemoveUser {
  readonly type: 'RemoveUser'
  readonly _id: string
  readonly reservations: Removal
}

/** The name must not be another user's by now. */
export interface RestoreUser {
  readonly type: 'RestoreUser'
  readonly _id: string
  readonly claim: NameClaim
}

export interface EraseUser {
  readonly type: 'EraseUser'
  readonly _id: string
}

export type UserCommand = AddUser | ChangeUser | RemoveUser | RestoreUser | EraseUser

type Decision = E.Either<Failure, readonly Event[]>

const NOTHING: Decision = E.right([])

/** Whether a name is free: undefined if the claim does not know every name. */
const isFree = ({ users }: UsersState, { folded, known }: NameClaim, ownId: string): boolean | undefined => {
  const others = users.filter(({ _id, status }) => status === 'present' && _id !== ownId)
  const names = others.map(({ secrets }) => known.get(secrets.name ?? ''))
  if (names.includes(folded)) return false
  return names.includes(undefined) ? undefined : true
}

/** Why a name cannot be had, if it cannot. */
const refuseName = (state: UsersState, claim: NameClaim, ownId: string): E.Either<Failure, never> | undefined => {
  const free = isFree(state, claim, ownId)
  if (free === undefined) return refuse('unavailable', 'The names of all users are not known yet. Try again.')
  return free
    ? undefined
    : refuse('user_name_taken', 'Another user has this name. Upper and lower case count as the same.')
}

const isLastAdministrator = ({ users }: UsersState, { _id, role }: UserState): boolean =>
  role === 'administrator' &&
  !users.some((other) => other._id !== _id && other.role === 'administrator' && other.status === 'present')

const refuseLast = (): Decision =>
  refuse('last_administrator', 'This is the last administrator. Make another user an administrator first.')

const requireUser = (state: UsersState, id: string): E.Either<Failure, UserState> => {
  const user = findUser(state, id)
  return user === undefined ? refuse('user_not_found', 'No user has this id.') : E.right(user)
}

/** Refuses unless the user exists and has not been removed. */
const requirePresent = (state: UsersState, id: string): E.Either<Failure, UserState> => {
  const user = requireUser(state, id)
  if (E.isLeft(user) || user.right.status === 'present') return user
  return refuse('user_removed', 'The user has been removed.')
}

/** Quotas and scopes are for testers. */
const fieldProblems = (role: Role, { quota, scope }: Pick<ChangeUser, 'quota' | 'scope'>) => [
  ...(role !== 'tester' && quota ? [bodyProblem('invalid', 'quota', 'is for testers only')] : []),
  ...(role !== 'tester' && scope ? [bodyProblem('invalid', 'scope', 'is for testers only')] : []),
]

const add = (state: UsersState, { _id, role, quota, scope, credentials, claim }: AddUser): Decision => {
  if (findUser(state, _id) !== undefined) return refuse('user_id_taken', 'Another user has or had this id.')
  const problems = fieldProblems(role, { quota, scope })
  if (problems.length > 0) return E.left(invalid(problems))
  const refused = refuseName(state, claim, _id)
  if (refused !== undefined) return refused
  return E.right([
    { type: 'UserAdded', data: { _id, role, credentials, ...(quota && { quota }), ...(scope && { scope }) } },
  ])
}

const change = (state: UsersState, command: ChangeUser): Decision => {
  const { _id, role, quota, scope, credentials, claim, ifMatch } = command
  const found = requirePresent(state, _id)
  if (E.isLeft(found)) return found
  const user = found.right
  if (ifMatch !== undefined && !ifMatch.includes(user.revision))
    return refuse('stale', `The user has changed. Its ETag is now "${user.revision}": read it again and retry.`)
  const newRole = role ?? user.role
  const problems = fieldProblems(newRole, { quota, scope })
  if (problems.length > 0) return E.left(invalid(problems))
  if (role !== undefined && role !== 'administrator' && isLastAdministrator(state, user)) return refuseLast()
  const refused = claim && refuseName(state, claim, _id)
  if (refused !== undefined) return refused
  // A role other than tester drops both, so they are not recorded with it.
  const isTester = newRole === 'tester'
  const changed = {
    ...(newRole !== user.role && { role: newRole }),
    ...(isTester && quota !== undefined && canonicalJson(quota) !== canonicalJson(user.quota) && { quota }),
    ...(isTester && scope !== undefined && scope !== user.scope && { scope }),
    ...(credentials !== undefined && { credentials }),
  }
  return Object.keys(changed).length === 0 ? NOTHING : E.right([{ type: 'UserChanged', data: { _id, ...changed } }])
}

const remove = (state: UsersState, { _id, reservations }: RemoveUser): Decision => {
  const found = requireUser(state, _id)
  if (E.isLeft(found)) return found
  if (found.right.status !== 'present') return NOTHING
  if (isLastAdministrator(state, found.right)) return refuseLast()
  return E.right([{ type: 'UserRemoved', data: { _id, reservations } }])
}

/** Refuses unless the user has been removed. */
const requireRemoved = (state: UsersState, id: string): E.Either<Failure, UserState> => {
  const user = requireUser(state, id)
  if (E.isLeft(user) || user.right.status !== 'present') return user
  return refuse('user_not_removed', 'The user has not been removed.')
}

const restore = (state: UsersState, { _id, claim }: RestoreUser): Decision => {
  const found = requireRemoved(state, _id)
  if (E.isLeft(found)) return found
  if (found.right.status === 'erased') return refuse('user_erased', 'The user has been erased, which is final.')
  return refuseName(state, claim, _id) ?? E.right([{ type: 'UserRestored', data: { _id } }])
}

const erase = (state: UsersState, { _id }: EraseUser): Decision => {
  const found = requireRemoved(state, _id)
  if (E.isLeft(found)) return found
  return found.right.status === 'erased' ? NOTHING : E.right([{ type: 'UserErased', data: { _id } }])
}

const decide = (state: UsersState, command: UserCommand): Decision => {
  switch (command.type) {
    case 'AddUser':
      return add(state, command)
    case 'ChangeUser':
      return change(state, command)
    case 'RemoveUser':
      return remove(state, command)
    case 'RestoreUser':
      return restore(state, command)
    case 'EraseUser':
      return erase(state, command)
  }
}

export const userDecider: Decider<UsersState, UserCommand> = {
  initial: { time: 0, keys: [], users: [] },
  version: 1,
  evolve: evolveUsers,
  decide,
  weight: weighUsers,
  pack: packUsers,
  unpack: unpackUsers,
}

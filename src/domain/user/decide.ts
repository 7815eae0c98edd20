import * as E from 'fp-ts/lib/Either.js'
import { type CommandsOf, type Decision, makeDecider } from '../decider.ts'
import type { Removal, Role, UserCredentials } from '../events/user.ts'
import { invalid, refuse, refuseStale } from '../failure.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { addUsers } from './add-users.ts'
import { type NameClaim, refuseName } from './names.ts'
import { fieldProblems, newQuota, type QuotaFields } from './quota.ts'
import { findUser, foldUsers, type UserState, type UsersState } from './state.ts'

/** Omitted fields keep their values. */
export interface ChangeUser extends QuotaFields {
  readonly _id: string
  readonly role?: Role | undefined
  readonly scope?: string | undefined
  readonly credentials?: UserCredentials | undefined
  readonly claim?: NameClaim | undefined
  readonly ifMatch?: readonly number[] | undefined
}

interface OfUser {
  readonly _id: string
}

const NOTHING: Decision = E.right([])

const isLastAdministrator = ({ users }: UsersState, { _id, role }: UserState): boolean =>
  role === 'administrator' &&
  !users.some((other) => other._id !== _id && other.role === 'administrator' && other.status === 'present')

const refuseLast = (): Decision =>
  refuse('last_administrator', 'This is the last administrator. Make another user an administrator first.')

/** A rule for a user that was added, and has been removed or not. */
const onUser =
  <C extends OfUser>(
    rule: (user: UserState, command: C, state: UsersState) => Decision,
    wanted?: 'present' | 'removed',
  ) =>
  (state: UsersState, command: C): Decision => {
    const user = findUser(state, command._id)
    if (user === undefined) return refuse('user_not_found', 'No user has this id.')
    const isPresent = user.status === 'present'
    if (wanted === 'present' && !isPresent) return refuse('user_removed', 'The user has been removed.')
    if (wanted === 'removed' && isPresent) return refuse('user_not_removed', 'The user has not been removed.')
    return rule(user, command, state)
  }

const change = onUser<ChangeUser>((user, command, state) => {
  const { _id, role, scope, credentials, claim, ifMatch } = command
  const stale = refuseStale('user', user.revision, ifMatch)
  if (stale !== undefined) return stale
  const newRole = role ?? user.role
  const problems = fieldProblems(newRole, command)
  if (problems.length > 0) return E.left(invalid(problems))
  if (role !== undefined && role !== 'administrator' && isLastAdministrator(state, user)) return refuseLast()
  const refused = claim && refuseName(state, claim, _id)
  if (refused !== undefined) return refused
  // A role other than tester drops both, so they are not recorded with it.
  const isTester = newRole === 'tester'
  const quota = newQuota(command, user.quota)
  const changed = {
    ...(newRole !== user.role && { role: newRole }),
    ...(isTester && quota !== undefined && canonicalJson(quota) !== canonicalJson(user.quota) && { quota }),
    ...(isTester && scope !== undefined && scope !== user.scope && { scope }),
    ...(credentials !== undefined && { credentials }),
  }
  return Object.keys(changed).length === 0 ? NOTHING : E.right([{ type: 'UserChanged', data: { _id, ...changed } }])
}, 'present')

const remove = onUser((user, { _id, reservations }: OfUser & { readonly reservations: Removal }, state) => {
  if (user.status !== 'present') return NOTHING
  if (isLastAdministrator(state, user)) return refuseLast()
  return E.right([{ type: 'UserRemoved', data: { _id, reservations } }])
})

/** The name must not be another user's by now. */
const restore = onUser(({ _id, status }, { claim }: OfUser & { readonly claim: NameClaim }, state) => {
  if (status === 'erased') return refuse('user_erased', 'The user has been erased, which is final.')
  return refuseName(state, claim, _id) ?? E.right([{ type: 'UserRestored', data: { _id } }])
}, 'removed')

const erase = onUser(
  ({ _id, status }, _: OfUser) => (status === 'erased' ? NOTHING : E.right([{ type: 'UserErased', data: { _id } }])),
  'removed',
)

const rules = {
  AddUsers: addUsers,
  ChangeUser: change,
  RemoveUser: remove,
  RestoreUser: restore,
  EraseUser: erase,
}

export type UserCommand = CommandsOf<typeof rules>

export const userDecider = makeDecider<UsersState, UserCommand>({
  initial: { time: 0, keys: [], users: [] },
  version: 3,
  fold: foldUsers,
  rules,
})

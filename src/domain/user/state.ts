import type { StreamState } from '../decider.ts'
import { factsOf, type Recorded } from '../event.ts'
import type { Quota, Removal, Role, UserCredentials, UserSecretField } from '../events/user.ts'
import { quotaDocument } from './quota.ts'

/** A user as far as events tell. Name, password, identity and epoch are in the vault. */
export interface UserState {
  readonly _id: string
  readonly role: Role
  /** Null is the service's default. */
  readonly quota: Quota | null
  /** A tag selector; empty for every SUT. */
  readonly scope: string
  readonly status: 'present' | 'removed' | 'erased'
  /** What the last removal did with reservations. */
  readonly removal: Removal | null
  /** The ids of the user's current secrets in the vault. */
  readonly secrets: { readonly [F in UserSecretField]?: string }
  /**
   * Revision of the last event that ended what the user had open: a removal, a role that may not hold reservations, or
   * a new password. Before any, that of its addition.
   */
  readonly accessSince: number
  /** Revision of the user's last event. */
  readonly revision: number
  /** The events' times, as recorded. */
  readonly created_at: string
  readonly updated_at: string
  readonly removed_at?: string
  readonly erased_at?: string
}

/** All users, in order of creation. An array, whose copy costs a microsecond, since each change copies it. */
export interface UsersState extends StreamState {
  readonly users: readonly UserState[]
}

const withSecrets = (secrets: UserState['secrets'], { id, changed }: UserCredentials): UserState['secrets'] => ({
  ...secrets,
  ...Object.fromEntries(changed.map((field) => [field, id])),
})

/** Quotas and scopes are for testers. */
const forRole = (user: UserState): UserState => (user.role === 'tester' ? user : { ...user, quota: null, scope: '' })

/** A user after an event that concerns it. Undefined if the event makes no user. */
export const evolveUser = (user: UserState | undefined, event: Recorded): UserState | undefined => {
  const { revision } = event
  const { time } = event.metadata
  if (event.type === 'UserAdded') {
    const { _id, role, quota = null, scope = '', credentials } = event.data
    const data = { _id, role, quota, scope, status: 'present', removal: null } as const
    const revisions = { accessSince: revision, revision }
    return forRole({ ...data, secrets: withSecrets({}, credentials), ...revisions, created_at: time, updated_at: time })
  }
  if (user === undefined) return undefined
  const changedNow = { revision, updated_at: time }
  switch (event.type) {
    case 'UserChanged': {
      const { _id, credentials, ...changed } = event.data
      const secrets = credentials === undefined ? user.secrets : withSecrets(user.secrets, credentials)
      const isEnd = changed.role === 'auditor' || credentials?.changed.includes('password') === true
      return forRole({ ...user, ...changed, secrets, ...changedNow, ...(isEnd && { accessSince: revision }) })
    }
    case 'UserRemoved': {
      const removed = { status: 'removed', removal: event.data.reservations, accessSince: revision } as const
      return { ...user, ...removed, ...changedNow, removed_at: time }
    }
    case 'UserRestored': {
      const { removed_at: _, ...restored } = user
      return { ...restored, status: 'present', removal: null, ...changedNow }
    }
    case 'UserErased':
      return { ...user, status: 'erased', secrets: {}, ...changedNow, erased_at: time }
    default:
      return user
  }
}

export const foldUsers = (state: UsersState, event: Recorded): UsersState => {
  if (factsOf(event.type).object !== 'user' || !('_id' in event.data)) return state
  const id = event.data._id
  const index = state.users.findIndex(({ _id }) => _id === id)
  const user = evolveUser(state.users[index], event)
  if (user === undefined) return state
  return { ...state, users: index === -1 ? [...state.users, user] : state.users.with(index, user) }
}

/** A user as returned by the API, in its field order and without its name, which is in the vault. */
export type UserDocument = Omit<UserState, 'status' | 'removal' | 'secrets' | 'accessSince' | 'revision'>

export const userDocument = (user: UserDocument): UserDocument => {
  const { _id, role, quota, scope, created_at, updated_at, removed_at, erased_at } = user
  return {
    ...{ _id, role, quota: quota && quotaDocument(quota), scope, created_at, updated_at },
    ...(removed_at !== undefined && { removed_at }),
    ...(erased_at !== undefined && { erased_at }),
  }
}

export const findUser = ({ users }: UsersState, id: string): UserState | undefined =>
  users.find(({ _id }) => _id === id)

import type { DataOf, Recorded } from '../../domain/event.ts'
import type { Quota, Removal, Role } from '../../domain/events/user.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { copyText, type Report } from '../state/state.ts'
import { judgeCredentials } from './envelope.ts'

/** A user, as far as the rules need it. */
interface User {
  role: Role
  /** As canonical JSON. */
  quota: string
  scope: string
  status: 'present' | 'removed' | 'erased'
  removal: Removal | undefined
  /** Unix milliseconds of the last removal. */
  removed: number
  /** Unix milliseconds of the restoration after a removal that cancels reservations. */
  restored: number
  /** The reservations made for the user since then, while that is recent. */
  readonly madeSince: Set<string>
}

interface Fields {
  readonly role?: Role | undefined
  readonly quota?: Quota | null | undefined
  readonly scope?: string | undefined
}

const NO_QUOTA = 'null'

/**
 * Time after a restoration in which the service may still end reservations made before it, and after a removal in which
 * a token may still be issued. They are decided on other streams, so those in flight are not refused.
 */
const IN_FLIGHT_MAX_MS = 60_000

/** A single sign-on adds users with an identity, which never changes, and gives them roles. */
const judgeIdentity = ({ type, data, metadata }: Recorded, report: Report): void => {
  const isSignOn = metadata.role === 'system' && metadata.actor === 'oidc'
  if (type === 'UserAdded' && data.credentials.changed.includes('identity') !== isSignOn)
    report(isSignOn ? 'adds a user without an identity' : 'adds a user with an identity')
  if (type !== 'UserChanged') return
  if (data.credentials?.changed.includes('identity')) report('changes the identity of a user')
  if (isSignOn && Object.keys(data).some((field) => field !== '_id' && field !== 'role'))
    report('changes more than a role')
}

const isAdministrator = ({ role, status }: User): boolean => role === 'administrator' && status === 'present'

const judgeTesterFields = (role: Role, { quota, scope }: Fields, report: Report): void => {
  if (role === 'tester') return
  if (quota !== undefined) report(`sets a quota of a user who is ${role}`)
  if (scope !== undefined) report(`sets a scope of a user who is ${role}`)
}

/** Applies changed fields. A role other than tester has neither quota nor scope. */
const changeFields = (user: User, { role, quota, scope }: Fields): void => {
  if (role !== undefined) user.role = copyText(role) as Role
  if (quota !== undefined) user.quota = copyText(canonicalJson(quota))
  if (scope !== undefined) user.scope = copyText(scope)
  if (user.role === 'tester') return
  user.quota = NO_QUOTA
  user.scope = ''
}

const judgeChanged = (user: User, data: DataOf<'UserChanged'>, report: Report): void => {
  const { role, quota, scope, credentials } = data
  judgeCredentials(credentials, report)
  if (Object.keys(data).length === 1) report('changes nothing')
  judgeTesterFields(role ?? user.role, data, report)
  if (role === user.role) report('sets role to its current value')
  if (quota !== undefined && canonicalJson(quota) === user.quota) report('sets quota to its current value')
  if (scope === user.scope) report('sets scope to its current value')
}

/** Event types after the first of a user, what they do, and the state they require. */
const REQUIRED = {
  UserChanged: { verb: 'changes', status: 'present' },
  UserRemoved: { verb: 'removes', status: 'present' },
  UserRestored: { verb: 'restores', status: 'removed' },
  UserErased: { verb: 'erases', status: 'removed' },
} as const
type Later = Extract<Recorded, { readonly type: keyof typeof REQUIRED }>

const applyLater = (user: User, event: Later, time: number): void => {
  switch (event.type) {
    case 'UserChanged':
      changeFields(user, event.data)
      break
    case 'UserRemoved':
      user.status = 'removed'
      user.removal = event.data.reservations
      user.removed = time
      break
    case 'UserRestored':
      user.status = 'present'
      user.madeSince.clear()
      if (user.removal === 'cancel') user.restored = time
      user.removal = undefined
      break
    case 'UserErased':
      user.status = 'erased'
  }
}

/** The first users are added in one append, before any others. */
const makeJudgeFirst = () => {
  let first: string | undefined
  return ({ metadata: { actor, request_id } }: Recorded, report: Report): void => {
    const isByService = actor === 'berth'
    if (isByService && first !== undefined && request_id !== first) report('adds first users to a log that has users')
    first = isByService ? (first ?? copyText(request_id)) : ''
  }
}

const newUser = (data: DataOf<'UserAdded'>): User => {
  const present = { status: 'present', removal: undefined, removed: 0, restored: 0 } as const
  const user: User = { role: data.role, quota: NO_QUOTA, scope: '', ...present, madeSince: new Set() }
  changeFields(user, data)
  return user
}

const isJustRestored = (user: User | undefined, time: number): user is User =>
  user !== undefined && time - user.restored <= IN_FLIGHT_MAX_MS

const noteMade = (user: User | undefined, reservationId: string, time: number): void => {
  if (isJustRestored(user, time)) user.madeSince.add(copyText(reservationId))
}

/** Whether the service may end a reservation of a user. */
const isToLose = (user: User | undefined, reservationId: string, time: number): boolean =>
  user?.removal === 'cancel' || (isJustRestored(user, time) && !user.madeSince.has(reservationId))

/** Rules of the users of the log. */
export const makeUserRules = () => {
  const users = new Map<string, User>()
  const judgeFirst = makeJudgeFirst()
  let administrators = 0

  const count = (before: User | undefined, after: User): void => {
    administrators += Number(isAdministrator(after)) - Number(before !== undefined && isAdministrator(before))
  }

  const add = (data: DataOf<'UserAdded'>, report: Report): void => {
    const { _id, role, credentials } = data
    const before = users.get(_id)
    if (before !== undefined) report(`adds the user ${_id} a second time`)
    judgeCredentials(credentials, report)
    if (!credentials.changed.includes('name')) report('adds a user without a name')
    judgeTesterFields(role, data, report)
    const user = newUser(data)
    count(before, user)
    users.set(copyText(_id), user)
  }

  const judgeLater = (event: Later, time: number, report: Report): void => {
    const { _id } = event.data
    const { verb, status } = REQUIRED[event.type]
    const user = users.get(_id)
    if (user?.status !== status) report(`${verb} the user ${_id}, who is ${user?.status ?? 'absent'}`)
    if (user === undefined) return
    if (event.type === 'UserChanged') judgeChanged(user, event.data, report)
    const before = { ...user }
    applyLater(user, event, time)
    count(before, user)
    if (isAdministrator(before) && administrators === 0) report('leaves no administrator')
  }

  return {
    /** Checks an event of a user and applies it. Other events are left alone. */
    judge: (event: Recorded, time: number, report: Report): void => {
      judgeIdentity(event, report)
      switch (event.type) {
        case 'UserAdded':
          judgeFirst(event, report)
          add(event.data, report)
          break
        case 'UserChanged':
        case 'UserRemoved':
        case 'UserRestored':
        case 'UserErased':
          judgeFirst(event, report)
          judgeLater(event, time, report)
          break
        case 'ReservationCreated':
          noteMade(users.get(event.data.user_id), event.data._id, time)
      }
    },
    /** Checks that what the service cancelled or released was of a user removed with its reservations. */
    judgeCancelled: ({ type, data, metadata }: Recorded, time: number, report: Report): void => {
      if (metadata.actor !== 'berth' || (type !== 'ReservationCancelled' && type !== 'ReservationReleased')) return
      if (!isToLose(users.get(data.user_id), data._id, time))
        report(`is by the service, but the user ${data.user_id} was not removed with its reservations`)
    },
    /** Whether a token of the user may be issued. */
    mayHaveTokens: (userId: string, time: number): boolean => {
      const user = users.get(userId)
      return user !== undefined && (user.status === 'present' || time - user.removed <= IN_FLIGHT_MAX_MS)
    },
  }
}

export type UserRules = ReturnType<typeof makeUserRules>

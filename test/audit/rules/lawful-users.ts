import { type CommandEnvelope, makeNewEvents, type Runner } from '../../../src/commands/command-envelope.ts'
import { BERTH } from '../../../src/commands/listen-ports.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import type { Quota, Role, UserSecretField } from '../../../src/domain/events/user.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { type UserCommand, userDecider } from '../../../src/domain/user/decide.ts'
import { QUOTA_DEFAULT } from '../../../src/domain/user/quota.ts'
import { makeId, sutStream, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { type EventStore, NO_STREAM } from '../../../src/event-store/event-store.ts'
import { administrator, alice, bob, userAdded } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { rightOf } from '../../users/builders.ts'
import { makeTokenStory } from './lawful-tokens.ts'

interface Reservation {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
}

interface Story {
  readonly store: EventStore
  readonly runner: Runner
  readonly clock: () => number
  readonly number: (below: number) => number
  readonly one: <A>(of: readonly A[]) => A
  /** What an order of this step has beside its command. */
  readonly by: (actor: Actor, step: number) => Omit<CommandEnvelope<unknown>, 'command'>
  readonly reservations: readonly Reservation[]
}

const ROLES: readonly Role[] = ['administrator', 'tester', 'auditor']
const QUOTAS: readonly (Quota | null)[] = [
  null,
  { hours_per_week: 40.25, reservations_max: 20, priority_max: 0 },
  { hours_per_week: null, reservations_max: null, priority_max: null },
]

/** Random commands on users. Those of the service import the first ones, and end reservations of removed ones. */
export const makeUserStory = ({ store, runner, clock, number, one, by, reservations }: Story) => {
  const actOnTokens = makeTokenStory({ runner, clock, number, one, by })
  const ids: string[] = [administrator._id, alice, bob]
  /** Names by the ids of their secrets. */
  const known = new Map<string, string>()

  const named = (...more: readonly UserSecretField[]) => {
    const id = randomHex(12)
    const folded = `user ${number(12)}`
    return { credentials: { id, changed: [...more, 'name' as const] }, claim: { folded, known }, id, folded }
  }
  const run = async (command: UserCommand, actor: Actor, step: number) => {
    const ended = await runner.run(userDecider, USERS_STREAM, { ...by(actor, step), command })
    if (ended._tag === 'Left' || ended.right.kind !== 'recorded') return
    const [event] = ended.right.events
    if (event?.type === 'UserAdded') ids.push(event.data._id)
    if ('claim' in command && command.claim && 'credentials' in command && command.credentials)
      known.set(command.credentials.id, command.claim.folded)
  }

  const begin = async (): Promise<void> => {
    const added = ids.map((_id, n) => {
      const credentials = { id: randomHex(12), changed: ['epoch', 'name', 'password'] as const }
      known.set(credentials.id, `first ${n}`)
      return userAdded({ _id, role: n === 0 ? 'administrator' : 'tester', credentials: { ...credentials } })
    })
    const envelope = { command: undefined, actor: BERTH, requestId: randomHex(8) }
    const { users } = await runner.inspect(userDecider, USERS_STREAM, (state) => state)
    // A story that continues another one has its users.
    for (const [n, { secrets }] of users.entries()) known.set(secrets.name ?? '', `earlier ${n}`)
    if (users.length > 0) return
    rightOf(await store.append(USERS_STREAM, NO_STREAM, makeNewEvents(added, envelope, clock(), randomHex)))
  }

  const change = (_id: string): UserCommand => {
    const { credentials, claim } = named()
    return one<UserCommand>([
      { type: 'ChangeUser', _id, quotaDefault: QUOTA_DEFAULT, credentials, claim },
      { type: 'ChangeUser', _id, quotaDefault: QUOTA_DEFAULT, role: one(ROLES) },
      {
        type: 'ChangeUser',
        _id,
        quotaDefault: QUOTA_DEFAULT,
        quota: one(QUOTAS),
        scope: one(['', 'rack=4', 'lab=n%2Cs']),
      },
      { type: 'ChangeUser', _id, quotaDefault: QUOTA_DEFAULT, role: 'tester', quota: one(QUOTAS) },
    ])
  }

  const administer = async (step: number): Promise<void> => {
    const _id = one(ids)
    const { credentials, claim } = named('epoch', 'password')
    const own = {
      type: 'ChangeUser',
      _id,
      quotaDefault: QUOTA_DEFAULT,
      credentials: { id: randomHex(12), changed: ['epoch', 'password'] },
    } as const
    if (number(6) === 0) return run(own, { _id, role: one(ROLES) }, step)
    const renewed = { type: 'RenewEpoch', _id, credentials: { id: randomHex(12), changed: ['epoch'] } } as const
    if (number(6) === 0) return run(renewed, { _id, role: one(ROLES) }, step)
    const command = one<UserCommand>([
      {
        type: 'AddUser',
        _id: makeId(clock(), randomHex(8)),
        role: one(ROLES),
        quotaDefault: QUOTA_DEFAULT,
        credentials,
        claim,
      },
      change(_id),
      change(_id),
      { type: 'RemoveUser', _id, reservations: one(['keep', 'cancel']) },
      { type: 'RestoreUser', _id, claim },
      { type: 'EraseUser', _id },
    ])
    await run(command, administrator, step)
  }

  /** Ends a reservation of a user removed with its reservations, as the service does. */
  const endOfRemoved = async (): Promise<void> => {
    const { users } = await runner.inspect(userDecider, USERS_STREAM, (state) => state)
    const removed = users.filter(({ removal }) => removal === 'cancel').map(({ _id }) => _id)
    const theirs = reservations.filter(({ user_id }) => removed.includes(user_id))
    for (const reservation of theirs.slice(-3)) {
      const command = { type: 'CancelReservation', actor: BERTH, documentStatus: 'made', ...reservation } as const
      const envelope = { command, actor: BERTH, requestId: randomHex(8) }
      await runner.run(reservationDecider, sutStream(reservation.sut_id), envelope)
    }
  }

  return {
    begin,
    act: async (step: number): Promise<void> => {
      await administer(step)
      await endOfRemoved()
      const { users } = await runner.inspect(userDecider, USERS_STREAM, (state) => state)
      for (const user of users) if (number(4) === 0) await actOnTokens(user, step)
    },
  }
}

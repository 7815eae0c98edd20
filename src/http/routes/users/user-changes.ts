import * as E from 'fp-ts/lib/Either.js'
import { runWithName } from '../../../commands/claim-name.ts'
import type { CommandEnvelope, Outcome } from '../../../commands/command-envelope.ts'
import type { EndBindings } from '../../../commands/users/end-reservations.ts'
import { makeRenewEpoch } from '../../../commands/users/renew-epoch.ts'
import { revokeTokens } from '../../../commands/users/revoke-tokens.ts'
import { EPOCH_BYTES, type Quota } from '../../../domain/events/user.ts'
import { type Failure, failure, invalid } from '../../../domain/failure.ts'
import { type UserCommand, userDecider } from '../../../domain/user/decide.ts'
import type { NameClaim } from '../../../domain/user/name-claim.ts'
import type { UsersState } from '../../../domain/user/state.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import { RESERVED_USER_IDS } from '../../../domain/values/user-name.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../../users/passwords/password.ts'
import type { User } from '../../../users/user.ts'
import type { Users } from '../../../users/users.ts'
import type { NewPassword, OwnPassword, UserCreation, UserUpdate } from '../../codecs/users.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { notFound } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'
import { userResponse } from './user-response.ts'

export interface UserDependencies
  extends Pick<Parts, 'runner' | 'objects' | 'users' | 'vault' | 'clock' | 'randomHex' | 'randomBytes'> {
  /** The quota of testers without one of their own. */
  readonly quotaDefault: Quota
  readonly endBindings: EndBindings
  /** Deletes the secrets of a user. */
  readonly eraseSecrets: (userId: string) => Promise<void>
}

/** Finds a user that has not been removed. */
export const findPresent = async (users: Users, id: string): Promise<E.Either<Failure, User>> => {
  await users.settled()
  // A removed user may have been restored.
  if (users.byId(id) === undefined) await users.catchUp()
  const user = users.byId(id)
  if (user !== undefined) return E.right(user)
  return E.left(
    users.member(id) === undefined ? notFound('user') : failure('user_removed', 'The user has been removed.'),
  )
}

type Ended = E.Either<Failure, Outcome<UsersState>>

/** Shows a user as of the end of a command, once this instance knows the change. */
const makeShow =
  ({ objects, users }: Pick<UserDependencies, 'objects' | 'users'>) =>
  async (id: string, ended: Ended, more: { created?: boolean; once?: Readonly<Record<string, unknown>> } = {}) => {
    if (E.isLeft(ended)) return ended
    const outcome = ended.right
    await users.refresh()
    const version = outcome.kind === 'repeated' ? objects.asOf('user', id, outcome.revision) : undefined
    const shown = version ?? (await objects.after('user', id, USERS_STREAM, outcome))
    const once = outcome.kind === 'repeated' ? {} : (more.once ?? {})
    return E.right(userResponse(users, shown, more.created === true, once))
  }

/** Seals a new password, which ends the user's sessions. */
const makeSealPassword =
  ({ vault, randomBytes, randomHex }: UserDependencies) =>
  async (userId: string, password: string, name?: string) =>
    vault.sealUser(userId, {
      ...(name !== undefined && { name }),
      password: await hashPassword(password, randomBytes(SALT_BYTES)),
      epoch: randomHex(EPOCH_BYTES),
    })

const makeCreate = (dependencies: UserDependencies) => {
  const { runner, users, quotaDefault, clock, randomHex, randomBytes } = dependencies
  const [show, sealPassword] = [makeShow(dependencies), makeSealPassword(dependencies)]
  return async (call: Call<UserCreation>): RouteResult => {
    const { _id: requestedId, password = makePassword(randomBytes(PASSWORD_RANDOM_BYTES)), ...fields } = call.body
    const { name, role, quota, scope } = fields
    if (requestedId !== undefined && RESERVED_USER_IDS.includes(requestedId)) {
      return E.left(invalid([{ code: 'invalid', path: ['_id'], in: 'body', detail: "is one of the service's own" }]))
    }
    const _id = requestedId ?? makeId(clock(), randomHex(8))
    const { credentials, secrets } = await sealPassword(_id, password, name)
    const envelope = { ...envelopeOf(call), secrets }
    const ended = await runWithName(runner, users, name, {
      ...envelope,
      command: (claim) => ({ type: 'AddUser', _id, role, quota, quotaDefault, scope, credentials, claim }),
    })
    const id = E.isRight(ended) && ended.right.kind === 'repeated' && requestedId === undefined ? ended.right.id : _id
    return show(id, ended, { created: true, once: call.body.password === undefined ? { password } : {} })
  }
}

/**
 * Bindings end before the password is recorded, so that a crash in between leaves none older than the password. They
 * end once more when the old password is no longer accepted here, because it may have made others meanwhile.
 */
const makeSetPassword = (
  dependencies: UserDependencies,
  run: (command: UserCommand, envelope: Omit<CommandEnvelope<unknown>, 'command'>) => Promise<Ended>,
) => {
  const { runner, users, quotaDefault, endBindings } = dependencies
  const [show, sealPassword] = [makeShow(dependencies), makeSealPassword(dependencies)]
  return async (_id: string, call: Call<NewPassword>): RouteResult => {
    const { user: actor, requestId, client, body } = call
    const revoke = async () =>
      body.revoke_tokens === true && revokeTokens(runner, _id, { actor, makeRequestId: () => requestId, client })
    // First too: once the new password is recorded, a request repeated after a crash is answered without this.
    await revoke()
    const { credentials, secrets } = await sealPassword(_id, body.password)
    const isPresent = users.byId(_id) !== undefined
    if (isPresent) await endBindings(_id, call.requestId)
    const ended = await run({ type: 'ChangeUser', _id, credentials, quotaDefault }, { ...envelopeOf(call), secrets })
    if (E.isRight(ended)) await revoke()
    if (E.isRight(ended) && ended.right.kind === 'recorded') {
      await users.refresh()
      await endBindings(_id, call.requestId)
    }
    return show(_id, ended)
  }
}

export const makeUserChanges = (dependencies: UserDependencies) => {
  const { runner, users, quotaDefault, vault, eraseSecrets } = dependencies
  const renewEpoch = makeRenewEpoch(dependencies)
  const show = makeShow(dependencies)
  const run = (command: UserCommand, envelope: Omit<CommandEnvelope<unknown>, 'command'>): Promise<Ended> =>
    runner.run(userDecider, USERS_STREAM, { ...envelope, command })
  const setPassword = makeSetPassword(dependencies, run)
  return {
    create: makeCreate(dependencies),
    update: async (call: Call<UserUpdate>): RouteResult => {
      const { params, body, ifMatch } = call
      const { name, role, quota, scope } = body
      const _id = params.id ?? ''
      const command = { type: 'ChangeUser', _id, role, quota, quotaDefault, scope, ifMatch } as const
      if (name === undefined || name === users.member(_id)?.name) return show(_id, await run(command, envelopeOf(call)))
      const { credentials, secrets } = vault.sealUser(_id, { name })
      const envelope = { ...envelopeOf(call), secrets }
      const named = (claim: NameClaim): UserCommand => ({ ...command, credentials, claim })
      return show(_id, await runWithName(runner, users, name, { ...envelope, command: named }))
    },
    setPassword: async (call: Call<NewPassword>): RouteResult => {
      const _id = call.params.id ?? ''
      if (users.member(_id) === undefined) await users.catchUp()
      return users.member(_id) === undefined ? E.left(notFound('user')) : setPassword(_id, call)
    },
    setOwnPassword: async (call: Call<OwnPassword>): RouteResult => {
      const confirmed = await call.caller().confirm(call.body.old_password)
      return E.isLeft(confirmed) ? confirmed : setPassword(call.user._id, call)
    },
    /** Ends all sessions of a user. */
    logout: async (call: Call): RouteResult => {
      const _id = call.params.id ?? ''
      return show(_id, await renewEpoch(_id, envelopeOf(call)))
    },
    erase: async (call: Call): RouteResult => {
      const _id = call.params.id ?? ''
      const ended = await run({ type: 'EraseUser', _id }, envelopeOf(call))
      // If this fails, the event stands, and the process of removals deletes them.
      if (E.isRight(ended)) await eraseSecrets(_id)
      return show(_id, ended)
    },
    restore: async (call: Call): RouteResult => {
      const _id = call.params.id ?? ''
      await users.refresh()
      const name = users.member(_id)?.name ?? _id
      const command = (claim: NameClaim): UserCommand => ({ type: 'RestoreUser', _id, claim })
      return show(_id, await runWithName(runner, users, name, { ...envelopeOf(call), command }))
    },
  }
}

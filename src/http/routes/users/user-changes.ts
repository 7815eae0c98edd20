import * as E from 'fp-ts/lib/Either.js'
import { runWithName } from '../../../commands/claim-name.ts'
import type { CommandEnvelope, Outcome } from '../../../commands/command-envelope.ts'
import { revokeTokens } from '../../../commands/users/revoke-tokens.ts'
import { EPOCH_BYTES } from '../../../domain/events/user.ts'
import { type Failure, failure, invalid } from '../../../domain/failure.ts'
import { type UserCommand, userDecider } from '../../../domain/user/decide.ts'
import type { NameClaim } from '../../../domain/user/name-claim.ts'
import type { UsersState } from '../../../domain/user/state.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import { RESERVED_USER_IDS } from '../../../domain/values/user-name.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../../users/passwords/password.ts'
import type { User } from '../../../users/user.ts'
import type { Users } from '../../../users/users.ts'
import { withoutBody } from '../../codecs/bodies.ts'
import {
  type NewPassword,
  newPasswordBody,
  type OwnPassword,
  ownPasswordBody,
  type UserCreation,
  type UserUpdate,
  userCreationBody,
  userUpdateBody,
} from '../../codecs/users.ts'
import { administrators, type Declaration, everyone, post, refTo } from '../../protocol/declaration.ts'
import type { Code } from '../../protocol/problem.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { notFound } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'
import { userResponse } from './user-response.ts'

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

const run = (
  { runner }: Parts,
  command: UserCommand,
  envelope: Omit<CommandEnvelope<unknown>, 'command'>,
): Promise<Ended> => runner.run(userDecider, USERS_STREAM, { ...envelope, command })

/** Shows a user as of the end of a command, once this instance knows the change. What is shown once, a retry lacks. */
const show = async (
  { objects, users }: Parts,
  id: string,
  ended: Ended,
  created = false,
  once: Readonly<Record<string, unknown>> = {},
) => {
  if (E.isLeft(ended)) return ended
  const outcome = ended.right
  const isRepeated = outcome.kind === 'repeated'
  await users.refresh()
  const version = isRepeated ? objects.asOf('user', id, outcome.revision) : undefined
  const shown = version ?? (await objects.after('user', id, USERS_STREAM, outcome))
  return E.right(userResponse(users, shown, created, isRepeated ? {} : once))
}

/** Seals a new password, which ends the user's sessions. */
const sealPassword = async (
  { vault, randomBytes, randomHex }: Parts,
  userId: string,
  password: string,
  name?: string,
) =>
  vault.sealUser(userId, {
    ...(name !== undefined && { name }),
    password: await hashPassword(password, randomBytes(SALT_BYTES)),
    epoch: randomHex(EPOCH_BYTES),
  })

const create = async (parts: Parts, call: Call<UserCreation>): RouteResult => {
  const { runner, users, quotaDefault, clock, randomHex, randomBytes } = parts
  const { _id: requestedId, password = makePassword(randomBytes(PASSWORD_RANDOM_BYTES)), ...fields } = call.body
  const { name, role, quota, scope } = fields
  if (requestedId !== undefined && RESERVED_USER_IDS.includes(requestedId)) {
    return E.left(invalid([{ code: 'invalid', path: ['_id'], in: 'body', detail: "is one of the service's own" }]))
  }
  const _id = requestedId ?? makeId(clock(), randomHex(8))
  const { credentials, secrets } = await sealPassword(parts, _id, password, name)
  const ended = await runWithName(runner, users, name, {
    ...{ ...envelopeOf(call), secrets },
    command: (claim) => ({ type: 'AddUser', _id, role, quota, quotaDefault, scope, credentials, claim }),
  })
  const id = E.isRight(ended) && ended.right.kind === 'repeated' && requestedId === undefined ? ended.right.id : _id
  return show(parts, id, ended, true, call.body.password === undefined ? { password } : {})
}

/**
 * Bindings end before the password is recorded, so that a crash in between leaves none older than the password. They
 * end once more when the old password is no longer accepted here, because it may have made others meanwhile.
 */
const changePassword = async (parts: Parts, _id: string, call: Call<NewPassword>): RouteResult => {
  const { runner, users, quotaDefault, endBindings } = parts
  const { user: actor, requestId, client, body } = call
  const revoke = async () =>
    body.revoke_tokens === true && revokeTokens(runner, _id, { actor, makeRequestId: () => requestId, client })
  // First too: once the new password is recorded, a request repeated after a crash is answered without this.
  await revoke()
  const { credentials, secrets } = await sealPassword(parts, _id, body.password)
  if (users.byId(_id) !== undefined) await endBindings(_id, requestId)
  const command = { type: 'ChangeUser', _id, credentials, quotaDefault } as const
  const ended = await run(parts, command, { ...envelopeOf(call), secrets })
  if (E.isRight(ended)) await revoke()
  if (E.isRight(ended) && ended.right.kind === 'recorded') {
    await users.refresh()
    await endBindings(_id, requestId)
  }
  return show(parts, _id, ended)
}

const update = async (parts: Parts, call: Call<UserUpdate>): RouteResult => {
  const { runner, users, quotaDefault, vault } = parts
  const { params, body, ifMatch } = call
  const { name, role, quota, scope } = body
  const _id = params.id ?? ''
  const command = { type: 'ChangeUser', _id, role, quota, quotaDefault, scope, ifMatch } as const
  if (name === undefined || name === users.member(_id)?.name) {
    return show(parts, _id, await run(parts, command, envelopeOf(call)))
  }
  const { credentials, secrets } = vault.sealUser(_id, { name })
  const named = (claim: NameClaim): UserCommand => ({ ...command, credentials, claim })
  const envelope = { ...envelopeOf(call), secrets, command: named }
  return show(parts, _id, await runWithName(runner, users, name, envelope))
}

const setPassword = async (parts: Parts, call: Call<NewPassword>): RouteResult => {
  const { users } = parts
  const _id = call.params.id ?? ''
  if (users.member(_id) === undefined) await users.catchUp()
  return users.member(_id) === undefined ? E.left(notFound('user')) : changePassword(parts, _id, call)
}

const setOwnPassword = async (parts: Parts, call: Call<OwnPassword>): RouteResult => {
  const confirmed = await call.caller().confirm(call.body.old_password)
  return E.isLeft(confirmed) ? confirmed : changePassword(parts, call.user._id, call)
}

/** Ends all sessions of a user. */
const logOut = async (parts: Parts, call: Call): RouteResult => {
  const _id = call.params.id ?? ''
  return show(parts, _id, await parts.renewEpoch(_id, envelopeOf(call)))
}

const erase = async (parts: Parts, call: Call): RouteResult => {
  const _id = call.params.id ?? ''
  const ended = await run(parts, { type: 'EraseUser', _id }, envelopeOf(call))
  // If this fails, the event stands, and the process of removals deletes them.
  if (E.isRight(ended)) await parts.eraseSecrets(_id)
  return show(parts, _id, ended)
}

const restore = async (parts: Parts, call: Call): RouteResult => {
  const { runner, users } = parts
  const _id = call.params.id ?? ''
  await users.refresh()
  const name = users.member(_id)?.name ?? _id
  const command = (claim: NameClaim): UserCommand => ({ type: 'RestoreUser', _id, claim })
  return show(parts, _id, await runWithName(runner, users, name, { ...envelopeOf(call), command }))
}

/** Answered with the user. */
const USER = { answer: refTo('User'), isTagged: true } as const
const OF_USER: readonly Code[] = ['user_not_found', 'user_removed']

export const createUser = post({
  path: '/api/user/create',
  id: 'createUser',
  summary: 'Create a user',
  description:
    'Without a password one is made and shown in this answer only. Names are unique in any case, among users that have not been removed. With _id, the user gets an id from elsewhere. Testers may have a quota and a scope.',
  roles: administrators,
  body: userCreationBody,
  answer: refTo('NewUser'),
  isCreation: true,
  isTagged: true,
  refusals: ['user_name_taken', 'user_id_taken'],
  handler: create,
})

export const userChanges: readonly Declaration<Parts>[] = [
  post({
    path: '/api/user/:id/update',
    id: 'updateUser',
    summary: 'Change the name, the role, the quota or the scope of a user',
    description:
      'Omitted fields keep their values, as omitted limits of a quota do. Only testers have a quota and a scope. Streams and connections that the new role does not allow end.',
    roles: administrators,
    isConditional: true,
    body: userUpdateBody,
    ...USER,
    refusals: [...OF_USER, 'user_name_taken', 'last_administrator'],
    handler: update,
  }),
  post({
    path: '/api/user/:id/password',
    id: 'setPassword',
    summary: 'Set the password of a user',
    description: 'The old one stops working at once, and the event streams of the user end.',
    roles: administrators,
    isForPeople: true,
    body: newPasswordBody,
    ...USER,
    refusals: OF_USER,
    handler: setPassword,
  }),
  post({
    path: '/api/user/me/password',
    id: 'setOwnPassword',
    summary: 'Change your own password',
    description: 'Wrong old passwords are throttled like failed logins.',
    roles: everyone,
    isForPeople: true,
    body: ownPasswordBody,
    ...USER,
    refusals: [...OF_USER, 'wrong_password'],
    handler: setOwnPassword,
  }),
  post({
    path: '/api/user/:id/logout',
    id: 'logOutUser',
    summary: 'End all sessions of a user',
    description: 'What was opened with them ends too. The password and tokens stay good.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: OF_USER,
    handler: logOut,
  }),
]

export const removedUserChanges: readonly Declaration<Parts>[] = [
  post({
    path: '/api/user/:id/restore',
    id: 'restoreUser',
    summary: 'Restore a removed user',
    description: 'The previous password works again. Cancelled reservations stay cancelled.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: ['user_not_found', 'user_name_taken', 'user_not_removed', 'user_erased'],
    handler: restore,
  }),
  post({
    path: '/api/user/:id/erase',
    id: 'eraseUser',
    summary: 'Erase a removed user',
    description:
      'Deletes the name and the password, which no later backup brings back. Events and histories then show the id. This cannot be undone.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: ['user_not_found', 'user_not_removed'],
    handler: erase,
  }),
]

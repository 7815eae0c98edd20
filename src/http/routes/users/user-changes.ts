import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import type { CommandEnvelope, Outcome } from '../../../commands/command-envelope.ts'
import { eraseUser, revokeTokens } from '../../../commands/users/removal.ts'
import { renewEpoch } from '../../../commands/users/renew-epoch.ts'
import { boolean, orNull, parsed, text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { EPOCH_BYTES, quotaFields, Removal, Role } from '../../../domain/events/user.ts'
import type { Failure } from '../../../domain/failure.ts'
import { type UserCommand, userDecider } from '../../../domain/user/decide.ts'
import { NewUserName } from '../../../domain/user/names.ts'
import { scopeCodec } from '../../../domain/user/scope.ts'
import type { UsersState } from '../../../domain/user/state.ts'
import { CONTROL, classExcluding } from '../../../domain/values/characters.ts'
import { USERS_STREAM } from '../../../domain/values/ids.ts'
import { foldName } from '../../../domain/values/user-name.ts'
import { waitForHead } from '../../../read-models/wait-for-head.ts'
import { hashPassword, PASSWORD_BYTES_MAX, passwordProblem, SALT_BYTES } from '../../../users/passwords/password.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/call.ts'
import type { Code } from '../../protocol/problem.ts'
import { administrators, everyone, post, type Route, refTo } from '../../protocol/route.ts'
import { viewsBehind } from '../../response/objects.ts'
import { notFound } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'
import { userResponse } from './user-reads.ts'

export const USER_READ_ONLY = ['created_at', 'updated_at', 'removed_at', 'erased_at']
const ofUsers = { readOnly: USER_READ_ONLY }

export const Password = parsed(
  'password',
  (text) => {
    const problem = passwordProblem(text)
    return problem === undefined ? E.right(text) : E.left(problem)
  },
  'must be a string',
  () => ({
    ...{ type: 'string', minLength: 8, maxLength: PASSWORD_BYTES_MAX, pattern: `^[${classExcluding(CONTROL)}]*$` },
    description: `At least 8 characters and at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`,
  }),
)

/** The limits to set; the others stay. Null is the service's default. */
const QuotaChange = orNull(closed('QuotaChange', {}, quotaFields))
export const limits = { quota: QuotaChange, scope: scopeCodec }

export const userUpdateBody = bodyOf(closed('UserUpdate', {}, { name: NewUserName, role: Role, ...limits }), ofUsers)
const again = { revoke_tokens: boolean }
export const newPasswordBody = bodyOf(closed('NewPassword', { password: Password }, again), ofUsers)
const old = { old_password: text(0, 1024) }
export const ownPasswordBody = bodyOf(closed('OwnPassword', { ...old, password: Password }, again), ofUsers)
export const userRemovalBody = bodyOf(closed('UserRemoval', { reservations: Removal }, {}), ofUsers)

type Ended = E.Either<Failure, Outcome<UsersState>>

const run = (
  { runner }: Parts,
  command: UserCommand,
  envelope: Omit<CommandEnvelope<unknown>, 'command'>,
): Promise<Ended> => runner.run(userDecider, USERS_STREAM, { ...envelope, command })

/** Shows a user as of the end of a command, once this instance knows the change. What is shown once, a retry lacks. */
export const showUser = async (
  { objects, users }: Parts,
  id: string,
  result: Ended,
  created = false,
  once: Readonly<Record<string, unknown>> = {},
): RouteResult => {
  if (E.isLeft(result)) return result
  const outcome = result.right
  const isRepeated = outcome.kind === 'repeated'
  await users.refresh()
  const version = await objects.after('user', isRepeated ? outcome.id : id, USERS_STREAM, outcome)
  return E.right(userResponse(users, version, created, isRepeated ? {} : once))
}

/**
 * Bindings end before the password is recorded, so that a crash in between leaves none older than the password. They
 * end once more when the old password is no longer accepted here, because it may have made others meanwhile.
 */
const changePassword = async (parts: Parts, _id: string, call: Call<BodyOf<typeof newPasswordBody>>): RouteResult => {
  const { runner, users, vault, randomBytes, randomHex, endBindings } = parts
  const { user: actor, requestId, client, body } = call
  const revoke = async () => body.revoke_tokens === true && revokeTokens(runner, _id, { actor, requestId, client })
  // First too: once the new password is recorded, a request repeated after a crash is answered without this.
  await revoke()
  const password = await hashPassword(body.password, randomBytes(SALT_BYTES))
  // Another epoch ends the user's sessions.
  const { credentials, secrets } = vault.sealUser(_id, { password, epoch: randomHex(EPOCH_BYTES) })
  if (users.byId(_id) !== undefined) await endBindings(_id, requestId)
  const command = { type: 'ChangeUser', _id, credentials } as const
  const result = await run(parts, command, { ...envelopeOf(call), secrets })
  if (E.isRight(result)) await revoke()
  if (E.isRight(result) && result.right.kind === 'recorded') {
    await users.refresh()
    await endBindings(_id, requestId)
  }
  return showUser(parts, _id, result)
}

/**
 * Removes a user, revokes its tokens, and then ends the reservations that are not over, if asked to. If that fails, the
 * removal stands, and the process of removals ends them. A restoration stops both.
 */
const remove = async (parts: Parts, call: Call<BodyOf<typeof userRemovalBody>>): RouteResult => {
  const { objects, views, store, users, finishRemoval } = parts
  const { id: user_id, body, requestId } = call
  const result = await run(parts, { type: 'RemoveUser', _id: user_id, ...body }, envelopeOf(call))
  if (E.isLeft(result)) return result
  await users.refresh()
  const { kind, revision } = result.right
  const respond = ({ cancelled, released } = { cancelled: 0, released: 0 }): Awaited<RouteResult> =>
    E.right({ status: 200, body: JSON.stringify({ _id: user_id, cancelled, released }) })
  // The user had been removed before.
  if (kind === 'already') return respond()
  await finishRemoval({ user_id, revision, ...body }, requestId)
  if (body.reservations === 'keep') return respond()
  const removed = (await waitForHead(views, store)) ? views.asOf('user', user_id, revision) : undefined
  if (removed === undefined) return E.left(viewsBehind())
  const all = await objects.showList('endedSince', user_id, removed.position)
  return E.isLeft(all) ? all : respond(all.right.listed)
}

const USER = { answer: refTo('User'), isTagged: true } as const
const OF_USER: readonly Code[] = ['user_not_found', 'user_removed']

export const userChanges: readonly Route<Parts>[] = [
  post('/api/user/:id/update', {
    id: 'updateUser',
    summary: 'Change the name, the role, the quota or the scope of a user',
    description:
      'Omitted fields keep their values, as omitted limits of a quota do. Only testers have a quota and a scope. Streams and connections that the new role does not allow end.',
    roles: administrators,
    isConditional: true,
    body: userUpdateBody,
    ...USER,
    refusals: [...OF_USER, 'user_name_taken', 'last_administrator'],
    handler: async (parts, call) => {
      const { users, quotaDefault, vault } = parts
      const { id: _id, body, ifMatch } = call
      const { name = '', ...fields } = body
      const isRenamed = name !== '' && name !== users.member(_id)?.name
      const { credentials, secrets } = isRenamed ? vault.sealUser(_id, { name }) : {}
      const change = (known?: ReadonlyMap<string, string>) => {
        const claim = known && { folded: foldName(name), known }
        const command = { type: 'ChangeUser', _id, ...fields, quotaDefault, ifMatch, credentials, claim } as const
        return run(parts, command, { ...envelopeOf(call), secrets })
      }
      const result = await (isRenamed ? runKnowingNames(users, change) : change())
      return showUser(parts, _id, result)
    },
  }),
  post('/api/user/:id/password', {
    id: 'setPassword',
    summary: 'Set the password of a user',
    description: 'The old one stops working at once, and the event streams of the user end.',
    roles: administrators,
    isForPeople: true,
    body: newPasswordBody,
    ...USER,
    refusals: OF_USER,
    handler: async (parts, call) => {
      const { users } = parts
      const { id: _id } = call
      if (users.member(_id) === undefined) await users.catchUp()
      return users.member(_id) === undefined ? E.left(notFound('user')) : changePassword(parts, _id, call)
    },
  }),
  post('/api/user/me/password', {
    id: 'setOwnPassword',
    summary: 'Change your own password',
    description: 'Wrong old passwords are throttled like failed logins.',
    roles: everyone,
    isForPeople: true,
    body: ownPasswordBody,
    ...USER,
    refusals: [...OF_USER, 'wrong_password'],
    handler: async (parts, call) => {
      const confirmed = await parts.gate.confirm(call.request, call.user, call.body.old_password)
      return E.isLeft(confirmed) ? confirmed : changePassword(parts, call.user._id, call)
    },
  }),
  post('/api/user/:id/logout', {
    id: 'logOutUser',
    summary: 'End all sessions of a user',
    description: 'What was opened with them ends too. The password and tokens stay good.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: OF_USER,
    handler: async (parts, call) => {
      const { id: _id } = call
      return showUser(parts, _id, await renewEpoch(parts, _id, envelopeOf(call)))
    },
  }),
  post('/api/user/:id/remove', {
    id: 'removeUser',
    summary: 'Remove a user',
    guide: 'people.md#leaving',
    description:
      'Reservations that are not over stay with "keep"; with "cancel" running ones are released and later ones cancelled, and the answer says how many. The user keeps its name in histories until it is erased.',
    roles: administrators,
    body: userRemovalBody,
    answer: refTo('UserRemoval'),
    refusals: ['user_not_found', 'last_administrator'],
    handler: remove,
  }),
  post('/api/user/:id/restore', {
    id: 'restoreUser',
    summary: 'Restore a removed user',
    description: 'The previous password works again. Cancelled reservations stay cancelled.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: ['user_not_found', 'user_name_taken', 'user_not_removed', 'user_erased'],
    handler: async (parts, call) => {
      const { users } = parts
      const { id: _id } = call
      await users.refresh()
      const folded = foldName(users.member(_id)?.name ?? _id)
      const result = await runKnowingNames(users, (known) =>
        run(parts, { type: 'RestoreUser', _id, claim: { folded, known } }, envelopeOf(call)),
      )
      return showUser(parts, _id, result)
    },
  }),
  post('/api/user/:id/erase', {
    id: 'eraseUser',
    summary: 'Erase a removed user',
    guide: 'people.md#erase',
    description:
      'Deletes the name and the password, which no later backup brings back. Events and histories then show the id. This cannot be undone.',
    roles: administrators,
    ...withoutBody,
    ...USER,
    refusals: ['user_not_found', 'user_not_removed'],
    handler: async (parts, call) => {
      const { id: _id } = call
      const result = await run(parts, { type: 'EraseUser', _id }, envelopeOf(call))
      // If this fails, the event stands, and the process of removals deletes them.
      if (E.isRight(result)) await eraseUser(parts.store, _id)
      return showUser(parts, _id, result)
    },
  }),
]

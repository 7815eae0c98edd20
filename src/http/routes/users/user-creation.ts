import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames, runWithName } from '../../../commands/claim-name.ts'
import { type Outcome, readAppended } from '../../../commands/command-envelope.ts'
import { boolean, described, opaqueId, rowsOf, scalar } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import type { Recorded } from '../../../domain/event.ts'
import { EPOCH_BYTES, Role } from '../../../domain/events/user.ts'
import { type Failure, invalid } from '../../../domain/failure.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import type { NewUser } from '../../../domain/user/add-users.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import { NewUserName } from '../../../domain/user/names.ts'
import type { UsersState } from '../../../domain/user/state.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import { foldName, RESERVED_USER_IDS } from '../../../domain/values/user-name.ts'
import {
  hashPassword,
  makePassword,
  PASSWORD_RANDOM_BYTES,
  parsePasswordHash,
  SALT_BYTES,
} from '../../../users/passwords/password.ts'
import { type BodyOf, bodyOf } from '../../codecs/body.ts'
import { type Call, envelopeOf, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import { administrators, post, type Route, refTo } from '../../protocol/route.ts'
import { importResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { limits, Password, sealPassword, showUser, USER_READ_ONLY } from './user-changes.ts'
import { userText } from './user-reads.ts'

const ofUsers = { readOnly: USER_READ_ONLY }
const OwnId = described(opaqueId, 'An id that the user has elsewhere; assigned by the service if left out.')
const UserCreation = closed(
  'UserCreation',
  { name: NewUserName, role: Role },
  { _id: OwnId, password: Password, ...limits },
)
export const userCreationBody = bodyOf(UserCreation, ofUsers)

/** Users in one import: those whose passwords the service hashes, and those whose passwords are hashed already. */
const USER_ROWS_MAX = 100
/** More are more than a body may have; see http/request/read-body.ts. */
export const HASHED_ROWS_MAX = 500

const dry = { dry_run: boolean }
const rows = { users: rowsOf(UserCreation, USER_ROWS_MAX, 'users') }
const userImportBody = bodyOf(closed('UserImport', rows, dry), ofUsers)

/** The hash of a password in PHC string format. */
const PasswordHashText = scalar(
  'password hash',
  (u): u is string => typeof u === 'string' && parsePasswordHash(u) !== undefined,
  'must be a hash of argon2id as a PHC string',
  () => ({ type: 'string' }),
)
const HashedUser = closed(
  'HashedUser',
  { _id: opaqueId, name: NewUserName, role: Role },
  { ...limits, password: PasswordHashText },
)
const hashedRows = { users: rowsOf(HashedUser, HASHED_ROWS_MAX, 'users') }
const hashedUsersBody = bodyOf(closed('HashedUsers', hashedRows, dry), ofUsers)

const makePasswordOf = ({ randomBytes }: Parts): string => makePassword(randomBytes(PASSWORD_RANDOM_BYTES))

const create = async (parts: Parts, call: Call<BodyOf<typeof userCreationBody>>): RouteResult => {
  const { runner, users, quotaDefault, clock, randomHex } = parts
  const { _id: ownId, password = makePasswordOf(parts), name, ...fields } = call.body
  if (ownId !== undefined && RESERVED_USER_IDS.includes(ownId)) {
    return E.left(invalid([{ code: 'invalid', path: ['_id'], in: 'body', detail: "is one of the service's own" }]))
  }
  const _id = ownId ?? makeId(clock(), randomHex(8))
  const { credentials, secrets } = await sealPassword(parts, _id, password, { name })
  const ended = await runWithName(runner, users, name, {
    ...{ ...envelopeOf(call), secrets },
    command: (claim) => ({ type: 'AddUser', _id, ...fields, quotaDefault, credentials, claim }),
  })
  return showUser(parts, _id, ended, true, call.body.password === undefined ? { password } : {})
}

type Row = Pick<NewUser, '_id' | 'role' | 'quota' | 'scope'> & {
  readonly name: string
  /** As it is stored: a hash. */
  readonly password?: string | undefined
}

/** Users whose secrets are sealed in a turn. */
const SEALED_AT_ONCE = 50

type AddParts = Pick<Parts, 'runner' | 'users' | 'quotaDefault' | 'vault' | 'clock' | 'randomHex'>

/** Adds all users or none, in one append. A dry run only finds out whether they would be refused. */
const add = async (
  { runner, users: known, quotaDefault, vault, clock, randomHex }: AddParts,
  call: Call<{ readonly dry_run?: boolean }>,
  rows: readonly Row[],
): Promise<E.Either<Failure, Outcome<UsersState> | undefined>> => {
  const secrets: SealedSecret[] = []
  const users: NewUser[] = []
  for (const [n, { _id, name, password, ...fields }] of rows.entries()) {
    const sealed = vault.sealUser(_id, { name, epoch: randomHex(EPOCH_BYTES), password })
    secrets.push(...sealed.secrets)
    users.push({ _id, ...fields, credentials: sealed.credentials, folded: foldName(name) })
    if ((n + 1) % SEALED_AT_ONCE === 0) await turn()
  }
  const ended = await runKnowingNames(known, (names): Promise<E.Either<Failure, Outcome<UsersState> | undefined>> => {
    const command = { type: 'AddUsers', users, known: names, quotaDefault } as const
    return call.body.dry_run === true
      ? runner.inspect(userDecider, USERS_STREAM, (state) =>
          E.map(() => undefined)(userDecider.decide(state, command, clock())),
        )
      : runner.run(userDecider, USERS_STREAM, { ...envelopeOf(call), command, secrets })
  })
  if (E.isRight(ended) && ended.right !== undefined) await known.refresh()
  return ended
}

/** Shows users as they were added, and the first time the passwords that were made. */
const show = async ({ objects, users }: Parts, events: readonly Recorded[], made: readonly (string | undefined)[]) => {
  const shown: string[] = []
  for (const [n, { data, revision, storePosition }] of events.entries()) {
    const id = '_id' in data ? data._id : ''
    const version = await objects.after('user', id, USERS_STREAM, { kind: 'recorded', revision, storePosition })
    const password = made[n]
    shown.push(userText(users, version, password === undefined ? {} : { password }))
  }
  const isSecret = made.some((password) => password !== undefined)
  return E.right({ ...importResponse('users', shown), ...(isSecret && { headers: NO_STORE }) })
}

/** Adds users, all or none. A retry shows them again, without passwords. */
const importRows = async (parts: Parts, call: Call<BodyOf<typeof userImportBody>>): RouteResult => {
  const { store, clock, randomHex, randomBytes } = parts
  const { users, dry_run = false } = call.body
  const now = clock()
  const made = users.map(({ password }) => (password === undefined ? makePasswordOf(parts) : undefined))
  const rows: Row[] = []
  // One after the other: nobody who signs in waits for more than one of them.
  for (const [n, { _id = makeId(now, randomHex(8)), password = made[n] ?? '', ...row }] of users.entries())
    rows.push({ _id, ...row, ...(!dry_run && { password: await hashPassword(password, randomBytes(SALT_BYTES)) }) })
  const ended = await add(parts, call, rows)
  if (E.isLeft(ended)) return ended
  const { right: outcome } = ended
  if (outcome === undefined) return E.right(importResponse('users', undefined, rows.length))
  if (outcome.kind === 'recorded') return show(parts, outcome.events, made)
  return show(parts, await readAppended(store, USERS_STREAM, outcome.revision, rows.length), [])
}

const importHashed = async (parts: AddParts, call: Call<BodyOf<typeof hashedUsersBody>>): RouteResult => {
  const { users } = call.body
  return E.map(() => importResponse('users', undefined, users.length))(await add(parts, call, users))
}

export const userCreations: readonly Route<Parts>[] = [
  post('/api/user/create', {
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
  }),
  post('/api/user/import', {
    id: 'importUsers',
    summary: 'Create up to 100 users, all or none',
    description:
      'Nobody is created if a row has a problem. Without a password one is made and shown in the first answer only, not to a retry. With dry_run the answer has only the number of users, and nobody is created.',
    roles: administrators,
    answersRepeats: true,
    body: userImportBody,
    answer: refTo('ImportedUsers'),
    refusals: ['user_name_taken', 'user_id_taken'],
    handler: importRows,
  }),
]

/** Only the control socket has this route: others cannot choose hashes. */
export const importHashedUsers = post('/api/user/import-hashed', {
  id: 'importHashedUsers',
  summary: 'Create users with the hashes of passwords that the command line made',
  roles: administrators,
  answersRepeats: true,
  body: hashedUsersBody,
  answer: refTo('ImportedUsers'),
  handler: importHashed,
})

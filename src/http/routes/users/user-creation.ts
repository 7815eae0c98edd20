import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import { type Outcome, readAppended } from '../../../commands/command-envelope.ts'
import { boolean, described, opaqueId, rowsOf, scalar } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import type { Decision } from '../../../domain/decider.ts'
import type { Recorded } from '../../../domain/event.ts'
import { EPOCH_BYTES, Role } from '../../../domain/events/user.ts'
import { type Failure, invalid } from '../../../domain/failure.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import type { AddUsers, NewUser } from '../../../domain/user/add-users.ts'
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
import { limits, Password, showUser, USER_READ_ONLY } from './user-changes.ts'
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

type Row = Pick<NewUser, '_id' | 'role' | 'quota' | 'scope'> & {
  readonly name: string
  /** As it is stored: a hash. */
  readonly password?: string | undefined
}

/** Users whose secrets are sealed in a turn. */
const SEALED_AT_ONCE = 50

type AddParts = Pick<Parts, 'runner' | 'users' | 'quotaDefault' | 'vault' | 'clock' | 'randomHex'>

/** Adds all users or none, in one append. */
export const addRows = async <A>(
  { users: known, quotaDefault, vault, randomHex }: AddParts,
  rows: readonly Row[],
  decide: (command: AddUsers, secrets: readonly SealedSecret[]) => Promise<E.Either<Failure, A>>,
  isList = true,
): Promise<E.Either<Failure, A>> => {
  const secrets: SealedSecret[] = []
  const users: NewUser[] = []
  for (const [n, { _id, name, password, ...fields }] of rows.entries()) {
    const sealed = vault.sealUser(_id, { name, epoch: randomHex(EPOCH_BYTES), password })
    secrets.push(...sealed.secrets)
    users.push({ _id, ...fields, credentials: sealed.credentials, folded: foldName(name) })
    if ((n + 1) % SEALED_AT_ONCE === 0) await turn()
  }
  const result = await runKnowingNames(known, (names) =>
    decide({ type: 'AddUsers', users, known: names, quotaDefault, isList }, secrets),
  )
  if (E.isRight(result)) await known.refresh()
  return result
}

const record =
  ({ runner }: AddParts, call: Call<unknown>) =>
  (command: AddUsers, secrets: readonly SealedSecret[]): Promise<E.Either<Failure, Outcome<UsersState>>> =>
    runner.run(userDecider, USERS_STREAM, { ...envelopeOf(call), command, secrets })

/** Finds out only whether users would be added. */
const dryRun =
  ({ runner, clock }: AddParts) =>
  (command: AddUsers): Promise<Decision> =>
    runner.inspect(userDecider, USERS_STREAM, (state) => userDecider.decide(state, command, clock()))

const create = async (parts: Parts, call: Call<BodyOf<typeof userCreationBody>>): RouteResult => {
  const { clock, randomBytes, randomHex } = parts
  const { _id = makeId(clock(), randomHex(8)), password = makePasswordOf(parts), ...row } = call.body
  if (RESERVED_USER_IDS.includes(_id)) {
    return E.left(invalid([{ code: 'invalid', path: ['_id'], in: 'body', detail: "is one of the service's own" }]))
  }
  const hash = await hashPassword(password, randomBytes(SALT_BYTES))
  const result = await addRows(parts, [{ _id, ...row, password: hash }], record(parts, call), false)
  return showUser(parts, _id, result, true, call.body.password === undefined ? { password } : {})
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
  const { users, dry_run } = call.body
  const now = clock()
  const passwords = users.map(({ password }) => (password === undefined ? makePasswordOf(parts) : undefined))
  const rows = users.map(({ _id = makeId(now, randomHex(8)), password: _, ...row }): Row => ({ _id, ...row }))
  if (dry_run === true)
    return E.map(() => importResponse('users', undefined, rows.length))(await addRows(parts, rows, dryRun(parts)))
  const hashed: Row[] = []
  // One after the other: nobody who signs in waits for more than one of them.
  for (const [n, row] of rows.entries()) {
    const password = passwords[n] ?? users[n]?.password ?? ''
    hashed.push({ ...row, password: await hashPassword(password, randomBytes(SALT_BYTES)) })
  }
  const result = await addRows(parts, hashed, record(parts, call))
  if (E.isLeft(result)) return result
  const { right: outcome } = result
  if (outcome.kind === 'recorded') return show(parts, outcome.events, passwords)
  return show(parts, await readAppended(store, USERS_STREAM, outcome.revision, rows.length), [])
}

const importHashed = async (parts: AddParts, call: Call<BodyOf<typeof hashedUsersBody>>): RouteResult => {
  const { users, dry_run } = call.body
  const result = await addRows<unknown>(parts, users, dry_run === true ? dryRun(parts) : record(parts, call))
  return E.map(() => importResponse('users', undefined, users.length))(result)
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
    guide: 'importing.md',
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

import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import { type Outcome, readAppended } from '../../../commands/command-envelope.ts'
import { keyReused } from '../../../commands/failures.ts'
import { findRecorded } from '../../../commands/idempotency-key.ts'
import type { Recorded } from '../../../domain/event.ts'
import { EPOCH_BYTES } from '../../../domain/events/user.ts'
import type { Failure } from '../../../domain/failure.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import type { NewUser } from '../../../domain/user/add-users.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import type { UsersState } from '../../../domain/user/state.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import type { StorePosition } from '../../../domain/values/position.ts'
import { foldName } from '../../../domain/values/user-name.ts'
import { BEGINNING } from '../../../event-store/event-store.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../../users/passwords/password.ts'
import { type HashedUserImport, hashedUsersBody, type UserImport, userImportBody } from '../../codecs/imports.ts'
import { administrators, post, refTo } from '../../protocol/declaration.ts'
import { type Call, envelopeOf, NO_STORE, type RouteResult } from '../../protocol/route.ts'
import { importResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { userText } from './user-response.ts'

type HashedDependencies = Pick<Parts, 'runner' | 'users' | 'quotaDefault' | 'vault' | 'clock' | 'randomHex'>

/** Users whose secrets are sealed in a turn. */
const SEALED_AT_ONCE = 50

type Row = Pick<NewUser, '_id' | 'role' | 'quota' | 'scope'> & { readonly name: string }

const makeSealAll =
  ({ vault, randomHex }: HashedDependencies) =>
  async (rows: readonly (Row & { readonly password?: string | undefined })[]) => {
    const secrets: SealedSecret[] = []
    const users: NewUser[] = []
    for (const [n, { _id, name, password, ...fields }] of rows.entries()) {
      const clear = { name, epoch: randomHex(EPOCH_BYTES), ...(password !== undefined && { password }) }
      const sealed = vault.sealUser(_id, clear)
      secrets.push(...sealed.secrets)
      users.push({ _id, ...fields, credentials: sealed.credentials, folded: foldName(name) })
      if ((n + 1) % SEALED_AT_ONCE === 0) await turn()
    }
    return { users, secrets }
  }

const NO_CREDENTIALS = { id: '', changed: [] }

/** Checks all rows together, and adds all of them or none in one append. */
const makeAddAll = (parts: HashedDependencies) => {
  const { runner, users: known, quotaDefault, clock } = parts
  const sealAll = makeSealAll(parts)
  const commandOn = (users: readonly NewUser[], names: ReadonlyMap<string, string>) =>
    ({ type: 'AddUsers', users, known: names, quotaDefault }) as const
  return {
    check: (rows: readonly Row[]): Promise<E.Either<Failure, unknown>> => {
      const users = rows.map(({ name, ...row }) => ({ ...row, credentials: NO_CREDENTIALS, folded: foldName(name) }))
      return runKnowingNames<unknown>(known, (names) =>
        runner.inspect(userDecider, USERS_STREAM, (state) =>
          userDecider.decide(state, commandOn(users, names), clock()),
        ),
      )
    },
    add: async (call: Call<unknown>, rows: Parameters<typeof sealAll>[0]) => {
      const { users, secrets } = await sealAll(rows)
      const ended = await runKnowingNames<Outcome<UsersState>>(known, (names) =>
        runner.run(userDecider, USERS_STREAM, { ...envelopeOf(call), command: commandOn(users, names), secrets }),
      )
      if (E.isRight(ended)) await known.refresh()
      return ended
    },
  }
}

/** Rows with the ids and passwords that the service makes for those that have none. */
const complete = ({ clock, randomHex, randomBytes }: Parts, { users }: UserImport) => {
  const now = clock()
  return users.map(({ _id = makeId(now, randomHex(8)), password, ...row }) => ({
    ...{ _id, ...row },
    password: password ?? makePassword(randomBytes(PASSWORD_RANDOM_BYTES)),
    isMade: password === undefined,
  }))
}

type CompleteRow = ReturnType<typeof complete>[number]

/** Hashes the passwords one after the other: nobody who signs in waits for more than one of them. */
const hashAll = async ({ randomBytes }: Parts, rows: readonly CompleteRow[]) => {
  const hashed: (Row & { readonly password: string })[] = []
  for (const { isMade: _, password, ...row } of rows) {
    hashed.push({ ...row, password: await hashPassword(password, randomBytes(SALT_BYTES)) })
  }
  return hashed
}

/** Shows users as they were added, and the passwords that were made, the first time only. */
const show = async (
  { objects, users }: Parts,
  events: readonly Recorded[],
  storePosition: StorePosition,
  rows: readonly CompleteRow[],
) => {
  const shown: string[] = []
  for (const [n, { data, revision }] of events.entries()) {
    const id = '_id' in data ? data._id : ''
    const version = await objects.after('user', id, USERS_STREAM, { kind: 'recorded', revision, storePosition })
    const { isMade = false, password } = rows[n] ?? {}
    shown.push(userText(users, version, isMade ? { password } : {}))
  }
  const response = importResponse('users', shown)
  return E.right(rows.some(({ isMade }) => isMade) ? { ...response, headers: NO_STORE } : response)
}

/** Adds users, all or none. A retry shows them again, without passwords. */
const importRows = async (parts: Parts, call: Call<UserImport>): RouteResult => {
  const { runner, store, users } = parts
  const { check, add } = makeAddAll(parts)
  const readKnown = async (revision: number, count: number) => {
    await users.refresh()
    const events = await readAppended(store, USERS_STREAM, revision, count)
    return show(parts, events, events.at(-1)?.storePosition ?? BEGINNING, [])
  }

  const { body, idempotencyKey } = call
  const count = body.users.length
  const known =
    idempotencyKey &&
    (await runner.inspect(userDecider, USERS_STREAM, ({ keys }) => findRecorded(keys, idempotencyKey)))
  if (known === 'reused') return E.left(keyReused())
  // Users are there then, so the check would refuse them.
  if (known !== undefined) return readKnown(known.revision, count)
  const rows = complete(parts, body)
  const checked = await check(rows)
  if (E.isLeft(checked)) return checked
  if (body.dry_run === true) return E.right(importResponse('users', undefined, count))
  const ended = await add(call, await hashAll(parts, rows))
  if (E.isLeft(ended)) return ended
  const { right: outcome } = ended
  return outcome.kind === 'recorded'
    ? show(parts, outcome.events, outcome.storePosition, rows)
    : readKnown(outcome.revision, count)
}

export const importUsers = post({
  path: '/api/user/import',
  id: 'importUsers',
  summary: 'Create up to 100 users, all or none',
  description:
    'All rows are checked first. Without a password one is made and shown in the first answer only, not to a retry. With dry_run the answer has only the number of users, and nobody is created.',
  roles: administrators,
  answersRepeats: true,
  body: userImportBody,
  answer: refTo('ImportedUsers'),
  refusals: ['user_name_taken', 'user_id_taken'],
  handler: importRows,
})

const importHashed = async (parts: HashedDependencies, call: Call<HashedUserImport>): RouteResult => {
  const { check, add } = makeAddAll(parts)
  const { users, dry_run } = call.body
  const ended = dry_run === true ? await check(users) : await add(call, users)
  return E.isLeft(ended) ? ended : E.right(importResponse('users', undefined, users.length))
}

/** Only the control socket has this route: others cannot choose hashes. */
export const importHashedUsers = post({
  path: '/api/user/import-hashed',
  id: 'importHashedUsers',
  summary: 'Create users with the hashes of passwords that the command line made',
  roles: administrators,
  answersRepeats: true,
  body: hashedUsersBody,
  answer: refTo('ImportedUsers'),
  handler: importHashed,
})

import * as E from 'fp-ts/lib/Either.js'
import { opaqueId } from '../domain/codec/codec.ts'
import type { Role } from '../domain/event.ts'
import { makeId } from '../domain/values/ids.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, passwordProblem, SALT_BYTES } from './password.ts'
import { deleteUser, insertUser, setPassword } from './user-edits.ts'
import { editUsersFile, type User, UserName, type UserRecord } from './users-file.ts'

/** Dependencies of changes to the users file. */
export interface Administration {
  readonly usersFile: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

export interface NewUser {
  readonly name: string
  readonly role: Role
  /** Generated if absent. */
  readonly id?: string | undefined
  readonly password?: string | undefined
}

export interface AddedUser {
  readonly user: User
  /** The password, if it was generated. It is not available anywhere else. */
  readonly madePassword?: string
}

type Refusable<A> = Promise<E.Either<string, A>>

interface ChosenPassword {
  readonly hash: string
  readonly madePassword?: string
}

const choosePassword = async (
  given: string | undefined,
  randomBytes: Administration['randomBytes'],
): Refusable<ChosenPassword> => {
  const password = given ?? makePassword(randomBytes(PASSWORD_RANDOM_BYTES))
  const problem = passwordProblem(password)
  if (problem !== undefined) return E.left(`the password ${problem}`)
  const hash = await hashPassword(password, randomBytes(SALT_BYTES))
  return E.right({ hash, ...(given === undefined && { madePassword: password }) })
}

/** Left explains the refusal in one sentence, without the password. */
export const addUser = async (
  { name, role, id, password }: NewUser,
  { usersFile, now, randomBytes }: Administration,
): Refusable<AddedUser> => {
  if (!UserName.is(name)) {
    return E.left('the name must have 1 to 128 characters, without ":", control characters or lone surrogates')
  }
  if (id !== undefined && !opaqueId.is(id)) return E.left('the id must be 1 to 128 printable characters without /')
  const chosen = await choosePassword(password, randomBytes)
  if (E.isLeft(chosen)) return chosen
  const { hash, ...made } = chosen.right
  const _id = id ?? makeId(now(), Buffer.from(randomBytes(8)).toString('hex'))
  const edited = await editUsersFile(usersFile, insertUser({ _id, name, role, password: hash }))
  return E.map(() => ({ user: { _id, name, role }, ...made }))(edited)
}

export interface RemovedUser {
  readonly user: User
  readonly left: readonly UserRecord[]
}

export const removeUser = async (name: string, { usersFile }: Administration): Refusable<RemovedUser> => {
  const removed: User[] = []
  const edited = await editUsersFile(usersFile, (users) => {
    for (const { _id, name: called, role } of users) if (called === name) removed.push({ _id, name, role })
    return deleteUser(name)(users)
  })
  return E.map((left: readonly UserRecord[]) => ({ user: removed.at(-1) as User, left }))(edited)
}

/** Right is the password if it was generated. */
export const changePassword = async (
  name: string,
  password: string | undefined,
  { usersFile, randomBytes }: Administration,
): Refusable<string | undefined> => {
  const chosen = await choosePassword(password, randomBytes)
  if (E.isLeft(chosen)) return chosen
  const edited = await editUsersFile(usersFile, setPassword(name, chosen.right.hash))
  return E.map(() => chosen.right.madePassword)(edited)
}

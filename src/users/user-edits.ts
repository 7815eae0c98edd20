import * as E from 'fp-ts/lib/Either.js'
import type { Edit, UserRecord } from './users-file.ts'

const quoted = (name: string): string => JSON.stringify(name)

const noSuchUser = (name: string): E.Either<string, never> => E.left(`there is no user named ${quoted(name)}`)

/** Appends a user, so the file is in order of creation. */
export const insertUser =
  (user: UserRecord): Edit =>
  (users) => {
    if (users.some(({ name }) => name === user.name)) {
      return E.left(`there is already a user named ${quoted(user.name)}`)
    }
    const holder = users.find(({ _id }) => _id === user._id)
    if (holder) return E.left(`the id ${quoted(user._id)} already belongs to ${quoted(holder.name)}`)
    return E.right([...users, user])
  }

export const deleteUser =
  (name: string): Edit =>
  (users) =>
    users.some((user) => user.name === name) ? E.right(users.filter((user) => user.name !== name)) : noSuchUser(name)

/** `password` is the hash. */
export const setPassword =
  (name: string, password: string): Edit =>
  (users) =>
    users.some((user) => user.name === name)
      ? E.right(users.map((user) => (user.name === name ? { ...user, password } : user)))
      : noSuchUser(name)

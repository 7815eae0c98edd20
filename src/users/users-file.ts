import { isUtf8 } from 'node:buffer'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { integer, matching, opaqueId } from '../domain/codec/codec.ts'
import { closed, pathOf, UNKNOWN_MEMBER } from '../domain/codec/object-codec.ts'
import { Role } from '../domain/event.ts'
import { CONTROL, classExcluding, single } from '../domain/values/characters.ts'
import { acquireLockWithin } from '../files/lock.ts'
import { keepOwner, replaceFile, resolveLinks } from '../files/replace-file.ts'
import { parsePasswordHash } from './password.ts'

/** Public data of a user. */
export interface User {
  readonly _id: string
  readonly name: string
  readonly role: Role
}

/** 1 to 128 characters. RFC 7617 separates name and password at the first colon and cannot carry control characters. */
export const UserName = matching(
  'user name',
  new RegExp(`^[${classExcluding([...CONTROL, single(':')])}]{1,128}$`, 'u'),
  'must be 1 to 128 characters, without ":", control characters or lone surrogates',
)

const isPasswordHash = (u: unknown): u is string => typeof u === 'string' && parsePasswordHash(u) !== undefined
const PasswordHashText = new t.Type(
  'password hash',
  isPasswordHash,
  (u, c) =>
    isPasswordHash(u)
      ? t.success(u)
      : t.failure(u, c, 'must be an argon2id hash like $argon2id$v=19$m=19456,t=2,p=1$...'),
  t.identity,
)

/** A user in the file. `password` is a hash in PHC string format. */
export const UserRecord = closed('user', { _id: opaqueId, name: UserName, role: Role, password: PasswordHashText }, {})
export type UserRecord = t.TypeOf<typeof UserRecord>

const UsersFile = closed('users file', { version: integer(1, 1), users: t.readonlyArray(UserRecord) }, {})

/** Why the users file cannot be used. Details repeat nothing of its content but member names. */
export interface UsersFileProblem {
  readonly kind: 'absent' | 'unreadable' | 'malformed'
  readonly detail: string
}

const problem = (kind: UsersFileProblem['kind'], detail: string): E.Either<UsersFileProblem, never> =>
  E.left({ kind, detail })

/** Problems listed per file. */
const PROBLEMS_MAX = 5

const malformed = (path: string, problems: readonly string[]): E.Either<UsersFileProblem, never> => {
  const more = problems.length > PROBLEMS_MAX ? `; and ${problems.length - PROBLEMS_MAX} more` : ''
  return problem('malformed', `${path} is not a users file: ${problems.slice(0, PROBLEMS_MAX).join('; ')}${more}`)
}

const findDuplicates = (users: readonly UserRecord[], member: '_id' | 'name'): readonly string[] => {
  const first = new Map<string, number>()
  return users.flatMap((user, i) => {
    const before = first.get(user[member])
    if (before !== undefined) return [`/users/${i}/${member} is the same as in /users/${before}`]
    first.set(user[member], i)
    return []
  })
}

const describeProblem = (error: t.ValidationError): string => {
  const detail = error.message === UNKNOWN_MEMBER ? 'is not a member of a users file' : error.message
  return `/${pathOf(error).join('/')} ${detail ?? 'must be a list'}`
}

const decodeUsers = (path: string, bytes: Buffer): E.Either<UsersFileProblem, readonly UserRecord[]> => {
  if (!isUtf8(bytes)) return malformed(path, ['it is not in UTF-8'])
  let json: unknown
  try {
    json = JSON.parse(bytes.toString())
  } catch (error) {
    // The engine's message quotes nearby text, which may be a hash.
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0]
    return malformed(path, [`it is not valid JSON${place === undefined ? '' : ` ${place}`}`])
  }
  const read = UsersFile.decode(json)
  if (E.isLeft(read)) return malformed(path, read.left.map(describeProblem))
  const { users } = read.right
  const problems = [...findDuplicates(users, '_id'), ...findDuplicates(users, 'name')]
  return problems.length === 0 ? E.right(users) : malformed(path, problems)
}

/** One user per line, so that people can read the file and diffs show who changed. */
export const encodeUsers = (users: readonly UserRecord[]): string => {
  const lines = users.map(({ _id, name, role, password }) => `    ${JSON.stringify({ _id, name, role, password })}`)
  return `{\n  "version": 1,\n  "users": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]\n}\n`
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Why a file operation failed, like `EACCES: permission denied`. */
const describeError = (error: unknown): string => (error as Error).message.split(',')[0] ?? 'unknown'

const unreadable = (path: string, error: unknown): E.Either<UsersFileProblem, never> =>
  codeOf(error) === 'ENOENT'
    ? problem('absent', `${path} does not exist`)
    : problem('unreadable', `${path} cannot be read: ${describeError(error)}`)

export const readUsersFile = async (path: string): Promise<E.Either<UsersFileProblem, readonly UserRecord[]>> => {
  try {
    return decodeUsers(path, await readFile(path))
  } catch (error) {
    return unreadable(path, error)
  }
}

/** An edit of the users. Left explains the refusal in one sentence. */
export type Edit = (users: readonly UserRecord[]) => E.Either<string, readonly UserRecord[]>

/** Milliseconds to wait for a concurrent edit. */
const LOCK_WITHIN = 10_000

/**
 * Edits the file, following links, or creates it. Concurrent edits wait for each other. A crash leaves the old file or
 * the new one. Left explains why nothing was changed.
 */
export const editUsersFile = async (path: string, edit: Edit): Promise<ReturnType<Edit>> => {
  try {
    const target = await resolveLinks(path)
    const found = await readUsersFile(target)
    if (E.isLeft(found)) {
      if (found.left.kind !== 'absent') return E.left(found.left.detail)
      const made = edit([])
      if (E.isLeft(made)) return made
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    }
    const lock = await acquireLockWithin(`${target}.lock`, LOCK_WITHIN)
    try {
      await keepOwner(`${target}.lock`, target)
      return await editLocked(target, edit)
    } finally {
      lock.release()
    }
  } catch (error) {
    // File system and lock errors. Any other error is a bug and also shows in the message.
    return E.left(`${path} cannot be changed: ${describeError(error)}`)
  }
}

const editLocked = async (target: string, edit: Edit): Promise<ReturnType<Edit>> => {
  const read = await readUsersFile(target)
  if (E.isLeft(read) && read.left.kind !== 'absent') return E.left(read.left.detail)
  const edited = edit(E.isLeft(read) ? [] : read.right)
  if (E.isRight(edited)) await replaceFile(target, encodeUsers(edited.right))
  return edited
}

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { integer, matching, opaqueId } from '../domain/codec/codec.ts'
import { closed, pathOf, UNKNOWN_MEMBER } from '../domain/codec/object-codec.ts'
import { Role } from '../domain/events/user.ts'
import { CONTROL, classExcluding, single } from '../domain/values/characters.ts'
import { withoutByteOrderMark } from '../domain/values/json-text.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { parsePasswordHash } from './passwords/password.ts'

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

const UsersFileText = closed('users file', { version: integer(1, 1), users: t.readonlyArray(UserRecord) }, {})

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
    json = JSON.parse(withoutByteOrderMark(bytes).toString())
  } catch (error) {
    // The engine's message quotes nearby text, which may be a hash.
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0]
    return malformed(path, [`it is not valid JSON${place === undefined ? '' : ` ${place}`}`])
  }
  const read = UsersFileText.decode(json)
  if (E.isLeft(read)) return malformed(path, read.left.map(describeProblem))
  const { users } = read.right
  const problems = [...findDuplicates(users, '_id'), ...findDuplicates(users, 'name')]
  return problems.length === 0 ? E.right(users) : malformed(path, problems)
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Why a file operation failed, like `EACCES: permission denied`. */
const describeError = (error: unknown): string => (error as Error).message.split(',')[0] ?? 'unknown'

const unreadable = (path: string, error: unknown): E.Either<UsersFileProblem, never> =>
  codeOf(error) === 'ENOENT'
    ? problem('absent', `${path} does not exist`)
    : problem('unreadable', `${path} cannot be read: ${describeError(error)}`)

/** A users file as it was read. */
export interface UsersFile {
  readonly users: readonly UserRecord[]
  /** SHA-256 of its bytes in hexadecimal. */
  readonly digest: string
  /** The line of each user, from 1. */
  readonly lines: readonly number[]
}

/** The lines on which the objects of the list begin, in a text that has been decoded. */
const linesOfUsers = (text: string): readonly number[] => {
  const lines: number[] = []
  let [line, depth] = [1, 0]
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[\n[\]{}]/g)) {
    if (token === '\n') line++
    else if (token === '{' || token === '[') {
      if (token === '{' && depth === 2) lines.push(line)
      depth++
    } else if (token === '}' || token === ']') depth--
  }
  return lines
}

/** Bytes of a users file: room for some thousand users. */
const SIZE_MAX = 4 * 1024 * 1024

export const readUsersFile = async (path: string): Promise<E.Either<UsersFileProblem, UsersFile>> => {
  try {
    const bytes = await readRegularFile(path, SIZE_MAX)
    return E.map((users: readonly UserRecord[]) => ({
      users,
      digest: createHash('sha256').update(bytes).digest('hex'),
      lines: linesOfUsers(bytes.toString()),
    }))(decodeUsers(path, bytes))
  } catch (error) {
    if (codeOf(error) === 'EFBIG') return malformed(path, [`it has more than ${SIZE_MAX} bytes`])
    return unreadable(path, error)
  }
}

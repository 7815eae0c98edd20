import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { quotaFields, Role } from '../../domain/events/user.ts'
import { answer, line } from '../service/answer.ts'
import { oneNamed } from '../service/one-named.ts'
import type { Ask } from './with-service.ts'

/** A user as the service shows it: to testers with id and name only. */
export const UserAnswer = answer(
  { _id: opaqueId, name: line },
  {
    ...{ role: Role, quota: orNull(answer(quotaFields, {})), scope: line },
    ...{ created_at: line, updated_at: line, removed_at: line, erased_at: line },
  },
)
export type UserAnswer = t.TypeOf<typeof UserAnswer>

const Members = answer({ users: listOf(UserAnswer) }, {})

/** Users in a response. */
const PAGE = 1_000

export type Status = 'present' | 'removed' | 'erased'

export const statusOf = ({ removed_at, erased_at }: UserAnswer): Status =>
  erased_at !== undefined ? 'erased' : removed_at === undefined ? 'present' : 'removed'

/** All users that have ever been, in order of creation. Left: why they cannot be read. */
export const readMembers = async (ask: Ask): Promise<E.Either<string, readonly UserAnswer[]>> => {
  const members: UserAnswer[] = []
  for (;;) {
    const last = members.at(-1)
    const query = new URLSearchParams({ removed: 'true', limit: String(PAGE), ...(last && { before: last._id }) })
    const read = await ask({ method: 'GET', path: `/api/user?${query}`, answer: Members })
    if (E.isLeft(read)) return E.left(read.left.why)
    const page = read.right.users
    members.push(...page)
    if (page.length < PAGE) return E.right(members.reverse())
  }
}

/**
 * The user that a command line means: by id, or else by name in any case among users of the first status with that name.
 * Left: why there is none, or which ones are meant.
 */
const findMember = (
  members: readonly UserAnswer[],
  typed: string,
  statuses: readonly Status[],
): E.Either<string, UserAnswer> => {
  const byId = members.find(({ _id }) => _id === typed)
  if (byId !== undefined) return E.right(byId)
  for (const status of statuses) {
    const candidates = members.filter((each) => statusOf(each) === status)
    const found = oneNamed(`${status} users`, typed, candidates)
    if (E.isLeft(found)) return found
    if (found.right !== undefined) return E.right(found.right)
  }
  return E.left(`there is no user ${JSON.stringify(typed)}`)
}

/** Finds the user that a command line means. @param statuses whose names count, the first ones first */
export const lookUpUser = async (
  ask: Ask,
  typed: string,
  statuses: readonly Status[] = ['present'],
): Promise<E.Either<string, UserAnswer>> => {
  const members = await readMembers(ask)
  return E.isLeft(members) ? members : findMember(members.right, typed, statuses)
}

/** The path of a user's route. */
export const userPath = ({ _id }: Pick<UserAnswer, '_id'>, operation: string): string =>
  `/api/user/${encodeURIComponent(_id)}/${operation}`

/** A user as messages name it. */
export const describe = ({ _id, name }: Pick<UserAnswer, '_id' | 'name'>): string =>
  name === _id ? _id : `${name} (${_id})`

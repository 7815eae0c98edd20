import type * as t from 'io-ts'
import { listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { quotaFields, Role } from '../../domain/events/user.ts'
import { type Ask, answer, line } from '../service/call.ts'
import { oneNamed } from '../service/one-named.ts'
import { CommandFailure, orFail } from '../terminal/command.ts'

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

/** All users that have ever been, in order of creation. @throws CommandFailure */
export const readMembers = async (ask: Ask): Promise<readonly UserAnswer[]> => {
  const members: UserAnswer[] = []
  for (;;) {
    const last = members.at(-1)
    const query = new URLSearchParams({ removed: 'true', limit: String(PAGE), ...(last && { before: last._id }) })
    const { users } = orFail(await ask({ method: 'GET', path: `/api/user?${query}`, answer: Members }))
    members.push(...users)
    if (users.length < PAGE) return members.reverse()
  }
}

/**
 * The user that a command line means: by id, or else by name in any case among users of the first status with that name.
 *
 * @param statuses whose names count, the first ones first
 * @throws CommandFailure if there is none, or if several are meant
 */
export const lookUpUser = async (
  ask: Ask,
  typed = '',
  statuses: readonly Status[] = ['present'],
): Promise<UserAnswer> => {
  const members = await readMembers(ask)
  const byId = members.find(({ _id }) => _id === typed)
  if (byId !== undefined) return byId
  for (const status of statuses) {
    const candidates = members.filter((each) => statusOf(each) === status)
    const found = oneNamed(`${status} users`, typed, candidates)
    if (found !== undefined) return found
  }
  throw new CommandFailure(`there is no user ${JSON.stringify(typed)}`)
}

/** The path of a user's route. */
export const userPath = ({ _id }: Pick<UserAnswer, '_id'>, operation: string): string =>
  `/api/user/${encodeURIComponent(_id)}/${operation}`

/** A user as messages name it. */
export const describe = ({ _id, name }: Pick<UserAnswer, '_id' | 'name'>): string =>
  name === _id ? _id : `${name} (${_id})`

import * as E from 'fp-ts/lib/Either.js'
import type { Member } from '../../../users/user.ts'
import type { Users } from '../../../users/users.ts'
import type { UsersQuery } from '../../codecs/lists.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { listResponse, unknownBefore } from '../list-response.ts'
import { userNotFound } from './user-changes.ts'
import { memberText } from './user-response.ts'

export interface UserReads {
  readonly list: (call: Call<unknown, UsersQuery>) => RouteResult
  readonly read: (call: Call) => RouteResult
  readonly me: (call: Call) => RouteResult
}

/** Whether a user sees all of another one. Others see its id and name. */
const seesAll = ({ _id, role }: Call['user'], id: string): boolean => role !== 'tester' || _id === id

const named = ({ _id, name }: Pick<Member, '_id' | 'name'>): string => JSON.stringify({ _id, name })

export const makeUserReads = (users: Users): UserReads => ({
  read: async ({ user, params }) => {
    await users.settled()
    const member = users.member(params.id ?? '')
    if (member === undefined) return E.left(userNotFound())
    const body = seesAll(user, member._id) ? memberText(member) : named(member)
    return E.right({ status: 200, body, headers: { ETag: `"${member.revision}"` } })
  },
  me: async ({ user: { _id, name, role } }) => {
    await users.settled()
    const member = users.member(_id)
    // The command line is no user.
    if (member === undefined) return E.right({ status: 200, body: JSON.stringify({ _id, name, role }) })
    return E.right({ status: 200, body: memberText(member), headers: { ETag: `"${member.revision}"` } })
  },
  list: async ({ user, query }) => {
    await users.settled()
    const { limit, offset, before, removed } = query
    const all = users.members().toReversed()
    // A user removed while a client reads page after page still works in before.
    const index = before === undefined ? -1 : all.findIndex(({ _id }) => _id === before)
    if (before !== undefined && index === -1) return E.left(unknownBefore('user'))
    const isListed = ({ status }: Member): boolean => removed || status === 'present'
    const shown = all
      .slice(index + 1)
      .filter(isListed)
      .slice(offset, offset + limit)
    const documents = shown.map((member) => (seesAll(user, member._id) ? memberText(member) : named(member)))
    return E.right(listResponse('users', query, { documents, count: all.filter(isListed).length }))
  },
})

import * as E from 'fp-ts/lib/Either.js'
import type { Users } from '../../users/users.ts'
import type { Paging } from '../codecs/lists.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { listResponse, unknownBefore } from './list-response.ts'

export type UserList = (call: Call<unknown, Paging>) => RouteResult

/** The authenticated user. */
export const readMe = async ({ user: { _id, name, role } }: Call<unknown, unknown>): RouteResult =>
  E.right({ status: 200, body: JSON.stringify({ _id, name, role }) })

/** Lists the users in the file, newest first. */
export const makeUserList =
  (users: Users): UserList =>
  async ({ query }) => {
    const { limit, offset, before } = query
    const all = users.list().toReversed()
    const index = before === undefined ? -1 : all.findIndex(({ _id }) => _id === before)
    if (before !== undefined && index === -1) return E.left(unknownBefore('user'))
    const first = index + 1 + offset
    const documents = all.slice(first, first + limit).map(({ _id, name, role }) => JSON.stringify({ _id, name, role }))
    return E.right(listResponse('users', query, { documents, count: all.length }))
  }

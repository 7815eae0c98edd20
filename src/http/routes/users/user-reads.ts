import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../domain/failure.ts'
import type { Member } from '../../../users/user.ts'
import type { Users } from '../../../users/users.ts'
import type { UsersQuery } from '../../codecs/lists.ts'
import type { Call, RouteResponse, RouteResult } from '../../protocol/route.ts'
import type { Objects } from '../../response/objects.ts'
import { listResponse, unknownBefore } from '../list-response.ts'
import { userNotFound } from './user-changes.ts'
import { memberText } from './user-response.ts'

export interface UserReads {
  readonly list: (call: Call<unknown, UsersQuery>) => RouteResult
  readonly read: (call: Call) => RouteResult
  readonly me: (call: Call) => RouteResult
}

export interface UserReadDependencies {
  readonly users: Users
  readonly objects: Pick<Objects, 'readList'>
}

type Caller = Call['user']

/** Whether a user sees all of another one. Others see its id and name. */
const seesAll = ({ _id, role }: Caller, id: string): boolean => role !== 'tester' || _id === id

const named = ({ _id, name }: Pick<Member, '_id' | 'name'>): string => JSON.stringify({ _id, name })

/** Characters of base64url in the entity tag of a text. */
const DIGEST_LENGTH = 22

/** A user as another one sees it. A revision counts changes of all users, so a user with a scope gets a digest. */
const userRead = (caller: Caller, member: Member): RouteResponse => {
  const body = seesAll(caller, member._id) ? memberText(member) : named(member)
  const tag = caller.scope === undefined ? member.revision : hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)
  return { status: 200, body, headers: { ETag: `"${tag}"` } }
}

/** A user with a scope sees itself and the holders of reservations that it sees. */
const makeSeen = ({ objects }: UserReadDependencies) => ({
  sees: async ({ _id, scope }: Caller, id: string): Promise<E.Either<Failure, boolean>> => {
    if (scope === undefined || id === _id) return E.right(true)
    return E.map(({ listed }: { listed: boolean }) => listed)(await objects.readList('isHolder', scope, id))
  },
  /** Returns whether it sees each of all users. */
  seesOf: async ({ _id, scope }: Caller): Promise<E.Either<Failure, (member: Member) => boolean>> => {
    if (scope === undefined) return E.right(() => true)
    const holders = await objects.readList('holders', scope)
    if (E.isLeft(holders)) return holders
    const seen = new Set(holders.right.listed).add(_id)
    return E.right((member) => seen.has(member._id))
  },
})

export const makeUserReads = (dependencies: UserReadDependencies): UserReads => {
  const { users } = dependencies
  const { sees, seesOf } = makeSeen(dependencies)
  return {
    read: async ({ user, params }) => {
      await users.settled()
      const id = params.id ?? ''
      const isSeen = await sees(user, id)
      if (E.isLeft(isSeen)) return isSeen
      const member = isSeen.right ? users.member(id) : undefined
      return member === undefined ? E.left(userNotFound()) : E.right(userRead(user, member))
    },
    me: async ({ user }) => {
      await users.settled()
      const { _id, name, role } = user
      const member = users.member(_id)
      // The command line is no user.
      if (member === undefined) return E.right({ status: 200, body: JSON.stringify({ _id, name, role }) })
      return E.right(userRead(user, member))
    },
    list: async ({ user, query }) => {
      await users.settled()
      const { limit, offset, before, removed } = query
      const isSeen = await seesOf(user)
      if (E.isLeft(isSeen)) return isSeen
      const all = users.members().filter(isSeen.right).toReversed()
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
  }
}

import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { formatWeek, weekOf } from '../../../domain/calendar/week.ts'
import type { Failure } from '../../../domain/failure.ts'
import { toHours } from '../../../domain/reservation/quota.ts'
import { earlierPosition, type PublicPosition } from '../../../domain/values/position.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { Used } from '../../../read-models/lists/usage.ts'
import type { Member } from '../../../users/user.ts'
import { type UserQuery, type UsersQuery, userQuery, usersQuery } from '../../codecs/lists.ts'
import { type Declaration, everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Call, RouteResponse, RouteResult } from '../../protocol/route.ts'
import { notFound } from '../../response/visibility.ts'
import { entriesAfter, listResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { memberText } from './user-response.ts'

type Caller = Call['user']

/** Whether a user sees all of another one. Others see its id and name. */
const seesAll = ({ _id, role }: Caller, id: string): boolean => role !== 'tester' || _id === id

const named = ({ _id, name }: Pick<Member, '_id' | 'name'>): string => JSON.stringify({ _id, name })

/** Characters of base64url in the entity tag of a text. */
const DIGEST_LENGTH = 22

/**
 * A user as another one sees it. The revision is the tag of all that there is to see. A part has a digest, and so has
 * what a user with a scope sees, because revisions count changes of all users.
 */
const userRead = (caller: Caller, member: Member): RouteResponse => {
  const isWhole = seesAll(caller, member._id)
  const body = isWhole ? memberText(member) : named(member)
  const tag =
    isWhole && caller.scope === undefined ? member.revision : hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)
  return { status: 200, body, headers: { ETag: `"${tag}"` } }
}

/** What users have reserved in the current week. */
interface UsedShown {
  readonly position: PublicPosition
  readonly used: readonly { readonly used: object }[]
}

const readUsed = async (
  { objects, quotaDefault, clock }: Parts,
  members: readonly Member[],
): Promise<E.Either<Failure, UsedShown>> => {
  const now = Math.floor(clock() / 1000)
  const week = formatWeek(weekOf(now))
  const ids = members.map(({ _id }) => _id)
  const read = await objects.showList('used', ids, now)
  const limits = members.map(({ role, quota }) => (role === 'tester' ? (quota ?? quotaDefault) : null))
  return E.map(({ position, listed }: ListResult<readonly Used[]>) => ({
    position,
    used: listed.map(({ quarters, reservations }, n) => ({
      used: { hours: toHours(quarters), reservations, week, quota: limits[n] },
    })),
  }))(read)
}

/** A list's answer, with the position that it shows if a list was read. */
type Seen<A> = Pick<ListResult<A>, 'listed'> & Partial<ListResult<A>>

/** Whether a user sees another one: with a scope, itself and the holders of reservations that it sees. */
const sees = async ({ objects }: Parts, { _id, scope }: Caller, id: string): Promise<E.Either<Failure, boolean>> => {
  if (scope === undefined || id === _id) return E.right(true)
  // A refusal shows no position, so that on a full disk a user must not be missed.
  return E.map(({ listed }: { listed: boolean }) => listed)(await objects.readList('isHolder', scope, id))
}

/** Whether a user sees each of all users. */
const seesOf = async (
  { objects }: Parts,
  { _id, scope }: Caller,
): Promise<E.Either<Failure, Seen<(member: Member) => boolean>>> => {
  if (scope === undefined) return E.right({ listed: () => true })
  const holders = await objects.showList('holders', scope)
  if (E.isLeft(holders)) return holders
  const { listed, position } = holders.right
  const seen = new Set(listed).add(_id)
  return E.right({ listed: (member) => seen.has(member._id), position })
}

const readOne = async (parts: Parts, caller: Caller, member: Member, { withUsed }: UserQuery): RouteResult => {
  if (!withUsed) return E.right(userRead(caller, member))
  if (!seesAll(caller, member._id)) return E.right({ status: 200, body: named(member) })
  const read = await readUsed(parts, [member])
  // It changes without a new revision, so there is no entity tag.
  return E.map(({ position, used }: UsedShown): RouteResponse => {
    return { status: 200, body: memberText(member, used[0]), position }
  })(read)
}

const read = async (parts: Parts, { user, params, query }: Call<unknown, UserQuery>): RouteResult => {
  const { users } = parts
  await users.settled()
  const id = params.id ?? ''
  if (users.member(id) === undefined) await users.catchUp()
  const isSeen = await sees(parts, user, id)
  if (E.isLeft(isSeen)) return isSeen
  const member = isSeen.right ? users.member(id) : undefined
  return member === undefined ? E.left(notFound('user')) : readOne(parts, user, member, query)
}

const readMe = async (parts: Parts, { user, query }: Call<unknown, UserQuery>): RouteResult => {
  const { users } = parts
  await users.settled()
  const { _id, name, role } = user
  const member = users.member(_id)
  // The command line is no user.
  if (member === undefined) return E.right({ status: 200, body: JSON.stringify({ _id, name, role }) })
  return readOne(parts, user, member, query)
}

const list = async (parts: Parts, { user, query }: Call<unknown, UsersQuery>): RouteResult => {
  const { users } = parts
  await users.settled()
  const { limit, offset, before, removed } = query
  if (before !== undefined && users.member(before) === undefined) await users.catchUp()
  const seen = await seesOf(parts, user)
  if (E.isLeft(seen)) return seen
  const { listed: isSeen, position } = seen.right
  const all = users.members().filter(isSeen).toReversed()
  // A user removed while a client reads page after page still works in before.
  const entries = entriesAfter(all, 'user', before)
  if (E.isLeft(entries)) return entries
  const isListed = ({ status }: Member): boolean => removed || status === 'present'
  const shown = entries.right.filter(isListed).slice(offset, offset + limit)
  const known = shown.filter(({ _id }) => seesAll(user, _id))
  const read = query.withUsed ? await readUsed(parts, known) : E.right(undefined)
  if (E.isLeft(read)) return read
  const more = new Map(known.map(({ _id }, n) => [_id, read.right?.used[n]]))
  const documents = shown.map((member) =>
    more.has(member._id) ? memberText(member, more.get(member._id)) : named(member),
  )
  const response = listResponse('users', query, { documents, count: all.filter(isListed).length })
  // On a full disk, lists show less than users in memory.
  const positions = [position, read.right?.position].filter((shown) => shown !== undefined)
  return E.right({ ...response, ...(positions.length > 0 && { position: positions.reduce(earlierPosition) }) })
}

/** Answered with the user. */
const USER = { answer: refTo('User'), isTagged: true } as const

export const userReads: readonly Declaration<Parts>[] = [
  get({
    path: '/api/user',
    id: 'listUsers',
    summary: 'List users, newest first',
    description:
      'Administrators and auditors see all of each user; testers see all of themselves, and of others the id and the name.',
    roles: everyone,
    query: usersQuery,
    answer: refTo('UserList'),
    refusals: ['store_full'],
    handler: list,
  }),
  get({
    path: '/api/user/me',
    id: 'readMe',
    summary: 'Read the authenticated user',
    roles: everyone,
    query: userQuery,
    ...USER,
    refusals: ['store_full'],
    handler: readMe,
  }),
  get({
    path: '/api/user/:id',
    id: 'readUser',
    summary: 'Read a user',
    roles: everyone,
    query: userQuery,
    answer: { anyOf: [refTo('User'), refTo('UserName')] },
    isTagged: true,
    refusals: ['user_not_found', 'store_full'],
    handler: read,
  }),
]

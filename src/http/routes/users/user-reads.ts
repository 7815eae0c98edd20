import * as E from 'fp-ts/lib/Either.js'
import { formatWeek, weekOf } from '../../../domain/calendar/week.ts'
import { described } from '../../../domain/codec/codec.ts'
import { type Failure, failure } from '../../../domain/failure.ts'
import { toHours } from '../../../domain/reservation/quota.ts'
import { type UserDocument, userDocument } from '../../../domain/user/state.ts'
import type { Member, User } from '../../../domain/user/user.ts'
import { earlierPosition } from '../../../domain/values/position.ts'
import type { Version } from '../../../read-models/tables/version.ts'
import type { Users } from '../../../users/users.ts'
import { LIMIT_DEFAULT, ofPages, paging } from '../../codecs/lists.ts'
import { onlyTrue, type QueryOf, queryOf, wordsOf } from '../../codecs/query.ts'
import { type Call, NO_STORE, type RouteResponse, type RouteResult } from '../../protocol/call.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { beyondStored, documentResponse, tagOf } from '../../response/objects.ts'
import { notFound } from '../../response/visibility.ts'
import { entriesAfter, listResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'

/** What reads include beyond the document. */
const included = {
  include: described(
    wordsOf('used'),
    'What to add, separated by commas: used adds what a user has reserved in the current week.',
  ),
}
const userQuery = queryOf(included)
type UserQuery = QueryOf<typeof userQuery>
const usersQuery = queryOf(
  { ...paging, ...included, removed: described(onlyTrue, 'Also users that have been removed.') },
  { rules: ofPages },
)

type More = Readonly<Record<string, unknown>>

const textOf = (name: string, { _id, ...others }: UserDocument, more: More = {}): string =>
  JSON.stringify({ _id, name, ...others, ...more })

/** A user as administrators, auditors and it itself see it. */
const memberText = (member: Member, more?: More): string => textOf(member.name, userDocument(member), more)

const namedText = ({ _id, name }: Pick<Member, '_id' | 'name'>): string => JSON.stringify({ _id, name })

/**
 * A user as of a command, with its name as of now.
 *
 * @param once members shown once, such as a password that was made
 */
export const userText = (users: Pick<Users, 'member'>, { document }: Version, once?: More): string => {
  const user = JSON.parse(document) as UserDocument
  return textOf(users.member(user._id)?.name ?? user._id, user, once)
}

export const userResponse = (
  users: Pick<Users, 'member'>,
  version: Version,
  created: boolean,
  once: More = {},
): RouteResponse => {
  const { headers, ...response } = documentResponse('user', version, created)
  const isSecret = Object.keys(once).length > 0
  return { ...response, headers: { ...headers, ...(isSecret && NO_STORE) }, body: userText(users, version, once) }
}

/** Finds a user that has not been removed. */
export const findPresent = async (users: Users, id: string): Promise<E.Either<Failure, User>> => {
  await users.settled()
  // A removed user may have been restored.
  if (users.byId(id) === undefined) await users.catchUp()
  const user = users.byId(id)
  if (user !== undefined) return E.right(user)
  return E.left(
    users.member(id) === undefined ? notFound('user') : failure('user_removed', 'The user has been removed.'),
  )
}

/** Whether a user sees all of another one. Others see its id and name. */
const seesAll = ({ _id, role }: User, id: string): boolean => role !== 'tester' || _id === id

/** Whether a user sees others: with a scope, itself and the holders of reservations that it sees. */
const readSight = async ({ objects, views }: Parts, { _id, scope }: Pick<User, '_id' | 'scope'>) => {
  if (scope === undefined) return E.right({ position: views.position(), isSeen: (_: string) => true })
  const holders = await objects.showList('holders', scope)
  if (E.isLeft(holders)) return holders
  const { position, listed } = holders.right
  const seen = new Set(listed).add(_id)
  return E.right({ position, isSeen: (id: string) => seen.has(id) })
}

/** What users have reserved in the current week, to be shown with them. */
const readUsed = async ({ objects, quotaDefault, clock }: Parts, members: readonly Member[]) => {
  const now = Math.floor(clock() / 1000)
  const week = formatWeek(weekOf(now))
  const read = await objects.showList(
    'used',
    members.map(({ _id }) => _id),
    now,
  )
  if (E.isLeft(read)) return read
  const used = members.map(({ _id, role, quota }, n) => {
    const { quarters = 0, reservations = 0 } = read.right.listed[n] ?? {}
    const limits = role === 'tester' ? (quota ?? quotaDefault) : null
    return [_id, { used: { hours: toHours(quarters), reservations, week, quota: limits } }] as const
  })
  return E.right({ position: read.right.position, listed: new Map(used) })
}

/** Responds with a user as another one sees it. */
const respond = async (parts: Parts, { user, query }: Call<unknown, UserQuery>, member: Member): RouteResult => {
  const isWhole = seesAll(user, member._id)
  if (query.include === undefined) {
    const body = isWhole ? memberText(member) : namedText(member)
    // The revision is the tag of all that there is to see. A part has a digest, and so has what a user with a scope
    // sees, because revisions count changes of all users.
    const isOfRevision = isWhole && user.scope === undefined
    return E.right({ status: 200, body, headers: { ETag: isOfRevision ? `"${member.revision}"` : tagOf(body) } })
  }
  // What it used changes without a new revision, so there is no entity tag.
  if (!isWhole) return E.right({ status: 200, body: namedText(member) })
  const used = await readUsed(parts, [member])
  if (E.isLeft(used)) return used
  const { position, listed } = used.right
  return E.right({ status: 200, body: memberText(member, listed.get(member._id)), position })
}

const read = async (parts: Parts, call: Call<unknown, UserQuery>): RouteResult => {
  const { users, views } = parts
  const { user, id } = call
  await users.settled()
  if (users.member(id) === undefined) await users.catchUp()
  const least = views.position()
  const sight = await readSight(parts, id === user._id ? { _id: id } : user)
  if (E.isLeft(sight)) return sight
  const { isSeen, position } = sight.right
  const member = isSeen(id) ? users.member(id) : undefined
  if (member !== undefined) return respond(parts, call, member)
  // On a full disk the list may lack what makes it visible, and a refusal shows no position.
  return E.left(position < least ? beyondStored(position) : notFound('user'))
}

const readMe = async (parts: Parts, call: Call<unknown, UserQuery>): RouteResult => {
  const { _id, name, role } = call.user
  await parts.users.settled()
  const member = parts.users.member(_id)
  // The command line is no user.
  return member === undefined
    ? E.right({ status: 200, body: JSON.stringify({ _id, name, role }) })
    : respond(parts, call, member)
}

const list = async (parts: Parts, { user, query }: Call<unknown, QueryOf<typeof usersQuery>>): RouteResult => {
  const { users } = parts
  const { limit = LIMIT_DEFAULT, offset = 0, before, removed } = query
  await users.settled()
  if (before !== undefined && users.member(before) === undefined) await users.catchUp()
  const sight = await readSight(parts, user)
  if (E.isLeft(sight)) return sight
  const { isSeen, position } = sight.right
  const all = users.members().filter(({ _id }) => isSeen(_id))
  // A user removed while a client reads page after page still works in before.
  const entries = entriesAfter(all.toReversed(), 'user', before)
  if (E.isLeft(entries)) return entries
  const isListed = ({ status }: Member): boolean => removed || status === 'present'
  const page = entries.right.filter(isListed).slice(offset, offset + limit)
  const whole = page.filter(({ _id }) => seesAll(user, _id))
  const used = query.include ? await readUsed(parts, whole) : undefined
  if (used !== undefined && E.isLeft(used)) return used
  const documents = page.map((member) =>
    seesAll(user, member._id) ? memberText(member, used?.right.listed.get(member._id)) : namedText(member),
  )
  return E.right({
    ...listResponse('users', query, { documents, count: all.filter(isListed).length }),
    // On a full disk, lists show less than users in memory.
    position: earlierPosition(position, used?.right.position ?? position),
  })
}

export const userReads: readonly Route<Parts>[] = [
  get('/api/user', {
    id: 'listUsers',
    summary: 'List users, newest first',
    guide: 'people.md',
    description:
      'Administrators and auditors see all of each user; testers see all of themselves, and of others the id and the name.',
    roles: everyone,
    query: usersQuery,
    answer: refTo('UserList'),
    refusals: ['store_full'],
    handler: list,
  }),
  get('/api/user/me', {
    id: 'readMe',
    summary: 'Read the authenticated user',
    roles: everyone,
    query: userQuery,
    answer: refTo('User'),
    isTagged: true,
    refusals: ['store_full'],
    handler: readMe,
  }),
  get('/api/user/:id', {
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

import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Series } from '../../../projections/series.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { orUnavailable } from '../../commands/failures.ts'
import { type Failure, failure } from '../../domain/failure.ts'
import { fits, type Scope } from '../../domain/user/scope.ts'
import type { User } from '../../domain/user/user.ts'
import type { Visibility } from '../../read-models/lists/scope.ts'
import type { Matching } from '../../read-models/matching/matching.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { Users } from '../../users/users.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Listed, Objects } from './objects.ts'

/** Names of users, which no document has: they are joined when a response is made. */
export type UserNames = (userId: string) => string

/** The name of a user, removed ones too. The id stands for a name that was erased. */
export const makeUserNames =
  (users: Pick<Users, 'member'>): UserNames =>
  (userId) =>
    users.member(userId)?.name ?? userId

type Holding = { readonly user_id: string }

/** Puts `user_name` beside `user_id`. */
export const withUserName = <A extends Holding>(object: A, nameOf: UserNames): A & { readonly user_name: string } => {
  const members = Object.entries(object).flatMap(([name, value]) =>
    name === 'user_id'
      ? [[name, value] as const, ['user_name', nameOf(object.user_id)] as const]
      : [[name, value] as const],
  )
  return Object.fromEntries(members) as A & { readonly user_name: string }
}

/** Names the holders of conflicting reservations. */
export const withNames = (refusal: Refusal, nameOf: UserNames): Refusal => {
  const conflicts = refusal.help?.conflicts?.map((conflict) => withUserName(conflict, nameOf))
  return conflicts === undefined ? refusal : { ...refusal, help: { ...refusal.help, conflicts } }
}

/** The user of a request, as far as it decides on what responses show. */
export type ScopedUser = Pick<User, '_id' | 'scope'>

export type ObjectReads = Pick<Objects, 'newest' | 'latest'>
type Found = E.Either<Failure, Version | undefined>

/** The reservations that a user sees in lists; undefined for all. */
export const visibilityOf = ({ _id, scope }: ScopedUser): Visibility | undefined => scope && { scope, user_id: _id }

/** What decides on what a user sees. */
export interface SightParts {
  readonly objects: ObjectReads
  /** @throws StoreUnavailable */
  readonly suts: Matching['suts']
}

/** Looks whether a user with a scope sees an object. */
const makeIsSeen = ({ objects: { newest }, suts }: SightParts, userId: string, scope: Scope) => {
  const isInScope = (sut: Version): boolean => fits((JSON.parse(sut.document) as Sut).tags, scope)
  return async (kind: Listed, version: Version): Promise<E.Either<Failure, boolean>> => {
    switch (kind) {
      case 'sut':
        return E.right(isInScope(version))
      case 'session':
        return E.right((JSON.parse(version.document) as Session).user_id === userId)
      case 'reservation':
      case 'series': {
        const { user_id, sut_id } = JSON.parse(version.document) as Reservation | Series
        if (user_id === userId) return E.right(true)
        const sut = await newest('sut', sut_id)
        return E.map((found: Version | undefined) => found !== undefined && isInScope(found))(sut)
      }
      case 'sut_request': {
        const { user_id, match, sut_id } = JSON.parse(version.document) as SutRequest
        if (user_id === userId) return E.right(true)
        return orUnavailable(async () => E.right((await suts()).isAnyFit({ criteria: match, sut_id, scopes: [scope] })))
      }
      default:
        return E.right(true)
    }
  }
}

const NOT_FOUND = {
  sut: () => failure('sut_not_found', 'No SUT has this id.'),
  reservation: () => failure('reservation_not_found', 'No reservation has this id.'),
  series: () => failure('series_not_found', 'No series has this id.'),
  sut_request: () => failure('request_not_found', 'No request has this id.'),
  user: () => failure('user_not_found', 'No user has this id.'),
} as const

/** The refusal where none has the id in the path, or one that the user does not see. */
export const notFound = (kind: keyof typeof NOT_FOUND): Failure => NOT_FOUND[kind]()

/**
 * Reads objects as a user sees them: to a user with a scope, SUTs outside it, others' reservations of them, and others'
 * requests that none in it fits do not exist.
 */
export const visibleTo = (parts: SightParts, { _id, scope }: ScopedUser): ObjectReads => {
  const { objects } = parts
  if (scope === undefined) return objects
  const isSeen = makeIsSeen(parts, _id, scope)
  const ifSeen = async (kind: Listed, found: Found): Promise<Found> => {
    if (E.isLeft(found) || found.right === undefined) return found
    const seen = await isSeen(kind, found.right)
    return E.map((isShown: boolean) => (isShown ? found.right : undefined))(seen)
  }
  const latest: ObjectReads['latest'] = async (kind, id) => ifSeen(kind, await objects.latest(kind, id))
  return {
    latest,
    newest: async (kind, id) => {
      const version = await objects.newest(kind, id)
      const seen = await ifSeen(kind, version)
      // What exists unseen is looked up in the store too, and so answered as late as what does not exist.
      const isHidden = E.isRight(version) && version.right !== undefined && E.isRight(seen) && seen.right === undefined
      return isHidden ? latest(kind, id) : seen
    },
  }
}

/** Finds an object that must exist, as a user sees it. */
export const findVisible = async (
  parts: SightParts,
  user: ScopedUser,
  kind: keyof typeof NOT_FOUND,
  id: string,
  read: keyof ObjectReads = 'newest',
): Promise<E.Either<Failure, Version>> =>
  E.chain((version: Version | undefined) => E.fromNullable(notFound(kind))(version))(
    await visibleTo(parts, user)[read](kind, id),
  )

/** The user of a request that has waited: meanwhile it may have been removed, or have got another scope. */
export const userNow = ({ byId }: Pick<Users, 'byId'>, { scope: _, ...user }: User): E.Either<Refusal, User> => {
  const now = byId(user._id)
  if (now === undefined) return E.left(refusal('unauthenticated', 'The user has been removed.'))
  return E.right({ ...user, ...(now.scope !== undefined && { scope: now.scope }) })
}

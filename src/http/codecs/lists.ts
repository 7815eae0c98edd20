import * as E from 'fp-ts/lib/Either.js'
import type { Temporal } from 'temporal-polyfill'
import { instant, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import type { Problem } from '../../domain/failure.ts'
import { REQUEST_STATUSES, type RequestStatus } from '../../domain/request/status.ts'
import { isLater, type OffsetTime, parseOffsetTime } from '../../domain/values/instant.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { inQuery, onlyTrue, parametersOf, wholeNumber, wordsOf } from './query.ts'

export const LIMIT_MAX = 1_000
export const LIMIT = 100

/** The requested page of a list: at an offset, or after the entry with an id. */
export interface Paging {
  readonly limit: number
  readonly offset: number
  readonly before: string | undefined
  /** Those of limit and offset that were given. */
  readonly pagedBy: readonly string[]
}

export const paging = {
  limit: wholeNumber(1, LIMIT_MAX),
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  before: opaqueId,
}

type OptionalMembers<A> = { readonly [K in keyof A]?: A[K] | undefined }

export const pagingOf = ({ limit, offset, before }: OptionalMembers<Omit<Paging, 'pagedBy'>>): Paging => ({
  limit: limit ?? LIMIT,
  offset: offset ?? 0,
  before,
  pagedBy: [...(limit === undefined ? [] : ['limit']), ...(offset === undefined ? [] : ['offset'])],
})

/** A span of time; either end may be open. */
export interface TimeSpan {
  readonly from: OffsetTime | undefined
  readonly to: OffsetTime | undefined
}

const momentOf = (text: string | undefined): Temporal.Instant | undefined => {
  const read = parseOffsetTime(text ?? '')
  return E.isRight(read) ? read.right.instant : undefined
}

/** The problem of a span that ends no later than it begins. */
export const spanProblems = (parameters: Parameters, from: string, to: string): readonly Problem[] => {
  const [start, end] = [momentOf(parameters.get(from)), momentOf(parameters.get(to))]
  return start !== undefined && end !== undefined && !isLater(end, start)
    ? [inQuery(to, `must be later than ${from}`)]
    : []
}

/** Problems between parameters that are valid by themselves. */
export const problemsBetween = (parameters: Parameters): readonly Problem[] => [
  ...(parameters.has('before') && parameters.has('offset')
    ? [inQuery('offset', 'cannot be combined with before')]
    : []),
  ...spanProblems(parameters, 'from', 'to'),
]

type Decoded<A> = E.Either<readonly Problem[], A>

/** Combines the problems of a decoded query with further ones. */
export const combineProblems = <A, B>(
  problems: readonly Problem[],
  read: Decoded<A>,
  make: (read: A) => B,
): Decoded<B> => {
  if (E.isLeft(read)) return E.left([...read.left, ...problems])
  return problems.length === 0 ? E.right(make(read.right)) : E.left(problems)
}

const pageParameters = parametersOf(paging)

export const pageQuery: DecodeQuery<Paging> = (parameters) =>
  combineProblems(problemsBetween(parameters), pageParameters(parameters), pagingOf)
withSchema(pageQuery, () => schemaOf(pageParameters))

/** What a read of users includes beyond their documents. */
export interface UserQuery {
  readonly withUsed: boolean
}

const included = { include: wordsOf('used') }
const userParameter = parametersOf(included)

export const userQuery: DecodeQuery<UserQuery> = (parameters) =>
  E.map(({ include }: { include?: ReadonlySet<string> }) => ({ withUsed: include !== undefined }))(
    userParameter(parameters),
  )
withSchema(userQuery, () => schemaOf(userParameter))

export interface UsersQuery extends Paging, UserQuery {
  /** Also removed users. */
  readonly removed: boolean
}

const userParameters = parametersOf({ ...paging, ...included, removed: onlyTrue })

export const usersQuery: DecodeQuery<UsersQuery> = (parameters) =>
  combineProblems(problemsBetween(parameters), userParameters(parameters), (read) => ({
    ...pagingOf(read),
    removed: read.removed ?? false,
    withUsed: read.include !== undefined,
  }))
withSchema(usersQuery, () => schemaOf(userParameters))

export interface SessionsQuery extends Paging, TimeSpan {
  readonly sut_id: string | undefined
  readonly user_id: string | undefined
  readonly reservation_id: string | undefined
  /** Only sessions that are open. */
  readonly open: boolean
}

const sessionParameters = parametersOf({
  ...paging,
  sut_id: opaqueId,
  user_id: opaqueId,
  reservation_id: opaqueId,
  from: instant,
  to: instant,
  open: onlyTrue,
})

export const sessionsQuery: DecodeQuery<SessionsQuery> = (parameters) =>
  combineProblems(problemsBetween(parameters), sessionParameters(parameters), (read) => {
    const { sut_id, user_id, reservation_id, from, to, open = false } = read
    return { ...pagingOf(read), sut_id, user_id, reservation_id, from, to, open }
  })
withSchema(sessionsQuery, () => schemaOf(sessionParameters))

export interface SutRequestQuery {
  /** Seconds to wait until the request does not wait any more. */
  readonly wait?: number
}

/** Seconds. Proxies cut a request that is not answered for a minute, or less. */
const WAIT_MAX = 60

export const sutRequestQuery: DecodeQuery<SutRequestQuery> = parametersOf({ wait: wholeNumber(0, WAIT_MAX) })

export interface SutRequestsQuery extends Paging {
  readonly status: RequestStatus | undefined
  readonly user_id: string | undefined
  readonly sut_id: string | undefined
}

const requestParameters = parametersOf({
  ...paging,
  status: oneOf(...REQUEST_STATUSES),
  user_id: opaqueId,
  sut_id: opaqueId,
})

export const sutRequestsQuery: DecodeQuery<SutRequestsQuery> = (params) =>
  combineProblems(problemsBetween(params), requestParameters(params), (read) => {
    const { status, user_id, sut_id } = read
    return { ...pagingOf(read), status, user_id, sut_id }
  })
withSchema(sutRequestsQuery, () => schemaOf(requestParameters))

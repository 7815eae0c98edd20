import * as E from 'fp-ts/lib/Either.js'
import type { Session } from '../../../projections/session.ts'
import { ceilMillisecond, floorMillisecond } from '../../domain/values/instant.ts'
import { type SessionsQuery, sessionsQuery } from '../codecs/lists.ts'
import { everyone, get, refTo } from '../protocol/declaration.ts'
import type { Call } from '../protocol/route.ts'
import { CSV } from '../response/csv-lists.ts'
import { withUserName } from '../response/user-names.ts'
import { respondWithList } from './list-response.ts'
import type { Parts } from './parts.ts'

const csvList = { of: 'session' } as const

const list = (parts: Parts, call: Call<unknown, SessionsQuery>) =>
  respondWithList(parts, call, ['session', 'sessions'], async (part) => {
    const { objects, nameOf } = parts
    const { query, user } = call
    const { sut_id, reservation_id, from, to, open } = query
    const isOfOthers = user.role === 'tester' && query.user_id !== undefined && query.user_id !== user._id
    if (isOfOthers) return E.right({ page: { documents: [], count: 0 }, csvList })
    const read = await objects.showList('sessions', {
      ...{ ...part, sut_id, reservation_id },
      user_id: user.role === 'tester' ? user._id : query.user_id,
      ...(from && { closesAfter: floorMillisecond(from.instant) }),
      ...(to && { opensBefore: ceilMillisecond(to.instant) }),
      isOpen: open === true,
    })
    if (E.isLeft(read)) return read
    const { listed: page, position } = read.right
    const show = (document: string): string => JSON.stringify(withUserName(JSON.parse(document) as Session, nameOf))
    return E.right({ page, position, csvList, show })
  })

export const listSessions = get({
  path: '/api/session',
  id: 'listSessions',
  summary: 'List sessions, newest first',
  description:
    'A session is a period in which a reservation has connections at one instance. While it is open, members known only at its end are null. Testers see their own.',
  roles: everyone,
  otherMediaTypes: [CSV],
  query: sessionsQuery,
  answer: refTo('SessionList'),
  refusals: ['list_too_large', 'store_full'],
  handler: list,
})

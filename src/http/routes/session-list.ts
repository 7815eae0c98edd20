import * as E from 'fp-ts/lib/Either.js'
import type { Session } from '../../../projections/session.ts'
import { ceilTo, floorTo, MILLISECOND } from '../../domain/values/instant.ts'
import type { SessionsQuery } from '../codecs/lists.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import type { Objects } from '../response/objects.ts'
import { seenBy } from '../response/seen-by.ts'
import { type UserNames, withUserName } from '../response/user-names.ts'
import { listResponse, resolveBefore } from './list-response.ts'

export type SessionList = (call: Call<unknown, SessionsQuery>) => RouteResult

/** Lists sessions, newest first; for a tester its own. */
export const makeSessionList =
  (objects: Objects, nameOf: UserNames): SessionList =>
  async ({ query, user }) => {
    const createdBefore = await resolveBefore(seenBy(objects, user), 'session', query.before)
    if (E.isLeft(createdBefore)) return createdBefore
    const { limit, offset, sut_id, reservation_id, from, to, open } = query
    const isOfOthers = user.role === 'tester' && query.user_id !== undefined && query.user_id !== user._id
    if (isOfOthers) return E.right(listResponse('sessions', query, { documents: [], count: 0 }))
    const answered = await objects.readList('sessions', {
      ...{ limit, offset, createdBefore: createdBefore.right, sut_id, reservation_id },
      user_id: user.role === 'tester' ? user._id : query.user_id,
      ...(from && { closesAfter: floorTo(from.epochNanoseconds, MILLISECOND) }),
      ...(to && { opensBefore: ceilTo(to.epochNanoseconds, MILLISECOND) }),
      isOpen: open,
    })
    if (E.isLeft(answered)) return answered
    const { position, listed } = answered.right
    const documents = listed.documents.map((document) =>
      JSON.stringify(withUserName(JSON.parse(document) as Session, nameOf)),
    )
    return E.right({ ...listResponse('sessions', query, { ...listed, documents }), position })
  }

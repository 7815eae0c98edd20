import * as E from 'fp-ts/lib/Either.js'
import type { Session } from '../../../projections/session.ts'
import { ceilMillisecond, floorMillisecond } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { ListPage } from '../../read-models/lists/lists.ts'
import type { SessionsQuery } from '../codecs/lists.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { CSV } from '../response/csv-lists.ts'
import { withUserName } from '../response/user-names.ts'
import { visibleTo } from '../response/visibility.ts'
import { listResponse, resolveBefore } from './list-response.ts'
import type { Parts } from './parts.ts'

/** Lists sessions, newest first; for a tester its own. */
export const makeSessionListHandler =
  ({ objects, nameOf, csv }: Pick<Parts, 'objects' | 'nameOf' | 'csv'>) =>
  async ({ query, user, mediaType }: Call<unknown, SessionsQuery>): RouteResult => {
    const refused = csv.refuse(query, mediaType)
    if (refused !== undefined) return refused
    const createdBefore = await resolveBefore(visibleTo(objects, user), 'session', query.before)
    if (E.isLeft(createdBefore)) return createdBefore
    const { limit, offset, sut_id, reservation_id, from, to, open } = query
    const isOfOthers = user.role === 'tester' && query.user_id !== undefined && query.user_id !== user._id
    const listed = (page: ListPage, position?: PublicPosition) => {
      if (mediaType === CSV) return csv.respond({ of: 'session' }, page, position, user._id)
      const documents = page.documents.map((document) =>
        JSON.stringify(withUserName(JSON.parse(document) as Session, nameOf)),
      )
      const response = listResponse('sessions', query, { ...page, documents })
      return E.right({ ...response, ...(position !== undefined && { position }) })
    }
    if (isOfOthers) return listed({ documents: [], count: 0 })
    const answered = await objects.showList('sessions', {
      ...(mediaType === CSV ? csv.part : { limit, offset }),
      ...{ createdBefore: createdBefore.right, sut_id, reservation_id },
      user_id: user.role === 'tester' ? user._id : query.user_id,
      ...(from && { closesAfter: floorMillisecond(from.instant) }),
      ...(to && { opensBefore: ceilMillisecond(to.instant) }),
      isOpen: open === true,
    })
    if (E.isLeft(answered)) return answered
    return listed(answered.right.listed, answered.right.position)
  }

export type SessionList = ReturnType<typeof makeSessionListHandler>

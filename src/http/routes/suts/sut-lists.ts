import * as E from 'fp-ts/lib/Either.js'
import type { Sut } from '../../../../projections/sut.ts'
import type { SutDisplay } from '../../../../projections/sut-display.ts'
import { findFreeWindows } from '../../../domain/calendar/free-windows.ts'
import { reachOf } from '../../../domain/calendar/turnaround.ts'
import { failure, invalid } from '../../../domain/failure.ts'
import { formatWithOffset } from '../../../domain/values/instant.ts'
import type { PublicPosition } from '../../../domain/values/position.ts'
import type { ListPage } from '../../../read-models/lists/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import type { AvailabilityQuery, SutsQuery } from '../../codecs/suts.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { CSV } from '../../response/csv-lists.ts'
import { ifReaching } from '../../response/objects.ts'
import { findNewest, visibleTo } from '../../response/visibility.ts'
import type { AsOfReads } from '../as-of-reads.ts'
import { freeSpan, spanOf } from '../availability/span.ts'
import { listResponse, resolveBefore } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { type SutSettings, settingsOfEverybody, withSettings } from './sut-read.ts'

export interface SutListDependencies extends Pick<Parts, 'objects' | 'views' | 'csv' | 'clock'> {
  readonly asOf: AsOfReads
  /** Milliseconds from now within which a window may start. */
  readonly horizon: number
}

/** Free windows per response. */
const FREE_MAX = 1_000

/** The page, with settings where the query asks for them. */
const withListedSettings = (page: ListPage): ListPage => {
  const { documents, displays } = page
  if (displays === undefined) return page
  const settings = displays.map((display) => settingsOfEverybody(JSON.parse(display ?? '{}') as SutDisplay))
  return { ...page, documents: documents.map((document, n) => withSettings(document, settings[n] as SutSettings)) }
}

export const makeSutLists = ({ objects, views, asOf, csv, clock, horizon }: SutListDependencies) => ({
  list: async ({ query, user, mediaType }: Call<unknown, SutsQuery>): RouteResult => {
    const pagedBy = [...query.pagedBy, ...(query.withSettings ? ['include'] : [])]
    const refused = csv.refuse({ ...query, pagedBy }, mediaType)
    if (refused !== undefined) return refused
    const createdBefore = await resolveBefore(visibleTo(objects, user), 'sut', query.before)
    if (E.isLeft(createdBefore)) return createdBefore
    const { before: _before, pagedBy: _pagedBy, as_of, free, withSettings: withDisplays, ...filters } = query
    const part = mediaType === CSV ? csv.part : {}
    const asked = { ...filters, ...part, createdBefore: createdBefore.right, scope: user.scope }
    const listed = (page: ListPage, position: PublicPosition) =>
      mediaType === CSV
        ? csv.respond({ of: 'sut' }, page, position, user._id)
        : E.right({ ...listResponse('suts', query, withListedSettings(page)), position })
    if (as_of !== undefined) {
      const then = await asOf.find(as_of)
      if (E.isLeft(then)) return then
      const read = await asOf.suts(asked, then.right)
      if (E.isLeft(read)) return read
      return listed(read.right, then.right.position)
    }
    const span = free && freeSpan(free, clock())
    if (free !== undefined && span === undefined) return E.left(invalid([inQuery('free_to', 'is in the past')]))
    const answered = await objects.showList('suts', { ...asked, free: span, withDisplays })
    if (E.isLeft(answered)) return answered
    return listed(answered.right.listed, answered.right.position)
  },
  availability: async ({ params, query, user }: Call<unknown, AvailabilityQuery>): RouteResult => {
    const id = params.id ?? ''
    const found = await findNewest(visibleTo(objects, user), 'sut', id)
    if (E.isLeft(found)) return found
    if (found.right.ended === 'retired') {
      return E.left(failure('sut_retired', 'The SUT has been retired and cannot be reserved.'))
    }
    const span = spanOf(query, clock(), horizon)
    const display = views.newest('sut_display', id)
    const { turnaround = 0 } = display === undefined ? {} : (JSON.parse(display.document) as SutDisplay)
    const answered = ifReaching(found.right.created, await objects.showList('held', id, reachOf(span, turnaround)))
    if (E.isLeft(answered)) return answered
    const { position, listed: held } = answered.right
    // An inactive SUT cannot be reserved at all.
    const { is_active } = JSON.parse(found.right.document) as Sut
    const { windows, next } = findFreeWindows(is_active ? held : [span], span, query.duration, FREE_MAX, turnaround)
    const offset = (query.from ?? query.to)?.offset ?? 0
    const write = (time: number): string => formatWithOffset(time, offset)
    const body = {
      free: windows.map(({ start, end }) => ({ start_time: write(start), end_time: write(end) })),
      next: next === undefined ? null : write(next),
    }
    return E.right({ status: 200, body: JSON.stringify(body), position })
  },
})

export type SutLists = ReturnType<typeof makeSutLists>

import * as E from 'fp-ts/lib/Either.js'
import type { RecordedSettings, Sut, SutInternal } from '../../../../projections/sut.ts'
import { findFreeWindows } from '../../../domain/calendar/free-windows.ts'
import { reachOf } from '../../../domain/calendar/turnaround.ts'
import { failure, invalid } from '../../../domain/failure.ts'
import type { Scope } from '../../../domain/user/scope.ts'
import { formatWithOffset } from '../../../domain/values/instant.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { PageQuery } from '../../../read-models/lists/page.ts'
import type { SutPage } from '../../../read-models/lists/suts.ts'
import { asOfRoles } from '../../codecs/as-of.ts'
import { inQuery } from '../../codecs/query.ts'
import { type AvailabilityQuery, availabilityQuery, type SutsQuery, sutsQuery } from '../../codecs/suts.ts'
import { everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Refusal } from '../../protocol/problem.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { CSV } from '../../response/csv-lists.ts'
import { ifReaching } from '../../response/objects.ts'
import { findNewest, visibleTo } from '../../response/visibility.ts'
import { freeSpan, spanOf } from '../availability/span.ts'
import { respondWithList } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { OF_SUT } from '../refusals.ts'
import { settingsOfEverybody, withSettings } from './sut-read.ts'

/** Free windows per response. */
const FREE_MAX = 1_000

const readPage = async (
  { objects, asOf, clock }: Parts,
  { before: _before, pagedBy: _pagedBy, as_of, free, withSettings: isWithSettings, ...filters }: SutsQuery,
  part: PageQuery,
  scope: Scope | undefined,
): Promise<E.Either<Refusal, ListResult<SutPage>>> => {
  const asked = { ...filters, ...part, scope }
  if (as_of !== undefined) {
    const then = await asOf.find(as_of)
    return E.isLeft(then) ? then : asOf.suts(asked, then.right)
  }
  const span = free && freeSpan(free, clock())
  if (free !== undefined && span === undefined) return E.left(invalid([inQuery('free_to', 'is in the past')]))
  return objects.showList('suts', { ...asked, free: span, withSettings: isWithSettings })
}

const list = (parts: Parts, call: Call<unknown, SutsQuery>) =>
  respondWithList(parts, call, ['sut', 'suts'], async (part) => {
    const found = await readPage(parts, call.query, part, call.user.scope)
    if (E.isLeft(found)) return found
    const { listed: page, position } = found.right
    const { settings } = page
    const show = (document: string, n: number): string =>
      settings === undefined
        ? document
        : withSettings(document, settingsOfEverybody(JSON.parse(settings[n] ?? '{}') as RecordedSettings))
    return E.right({ page, position, csvList: { of: 'sut' }, show })
  })

const availability = async (
  { objects, clock, limits }: Parts,
  { params, query, user }: Call<unknown, AvailabilityQuery>,
): RouteResult => {
  const id = params.id ?? ''
  const found = await findNewest(visibleTo(objects, user), 'sut', id)
  if (E.isLeft(found)) return found
  if (found.right.ended === 'retired') {
    return E.left(failure('sut_retired', 'The SUT has been retired and cannot be reserved.'))
  }
  const span = spanOf(query, clock(), limits.horizon)
  const { turnaround = 0 } = (JSON.parse(found.right.internal) as SutInternal).settings
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
}

export const listSuts = get({
  path: '/api/sut',
  id: 'listSuts',
  summary: 'List SUTs, newest created first',
  roles: everyone,
  parameterRoles: asOfRoles,
  otherMediaTypes: [CSV],
  query: sutsQuery,
  answer: refTo('SutList'),
  refusals: ['list_too_large', 'store_full'],
  handler: list,
})

export const readAvailability = get({
  path: '/api/sut/:id/availability',
  id: 'readAvailability',
  summary: 'Find the free windows of a SUT',
  description: 'At most 1,000 windows. If there are more, next is the from with which to go on.',
  roles: everyone,
  query: availabilityQuery,
  answer: refTo('Availability'),
  refusals: [...OF_SUT, 'store_full'],
  handler: availability,
})

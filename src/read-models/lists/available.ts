import type { RecordedSettings, Sut } from '../../../projections/sut.ts'
import { findFreeWindows } from '../../domain/calendar/free-windows.ts'
import { earliestAfter, reachOf, type Window } from '../../domain/calendar/window.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import type { ListPage } from './page.ts'
import type { makeReservationReads } from './reservations.ts'
import type { SutDetails, SutListQuery } from './suts.ts'

/** What is free in a span. Times are in Unix seconds. */
export interface AvailableQuery {
  readonly span: Window
  /** The shortest free window. */
  readonly duration: number
  readonly limit: number
  readonly scope: Scope | undefined
}

export interface FilteredQuery extends AvailableQuery {
  readonly filters: Pick<SutListQuery, 'sut_type' | 'is_active' | 'monitoring' | 'name' | 'tags' | 'free'>
  /** The SUT after which the page begins. */
  readonly after: { readonly sut_id: string } | undefined
}

export interface AvailableSut {
  readonly _id: string
  readonly name: string
  readonly free: readonly Window[]
  /** Where the next free window begins, if there are more. */
  readonly next: number | undefined
  /** What is neither held nor free, because a machine needs time between reservations. */
  readonly turnaround: readonly Window[]
}

export interface AvailablePage<After = { readonly sut_id: string }> {
  readonly suts: readonly AvailableSut[]
  /** After what the next page begins. */
  readonly next: After | undefined
}

interface Reads extends Pick<ReturnType<typeof makeReservationReads>, 'heldBy'> {
  readonly suts: (query: SutListQuery) => ListPage<SutDetails>
}

/** Free windows, and stretches of turnaround, of a SUT. */
const WINDOWS_MAX = 100
type Created = { readonly created: PublicPosition }
/** Where a SUT was created, for pages in that order. */
const CREATED = 'SELECT created FROM sut WHERE id = ? LIMIT 1'

/** SUTs looked at together. */
const CHUNK = 200
/** The longest turnaround. */
const REACH = 86_400

/** What only turnaround keeps from being booked: after each window and before the next. The windows are by start. */
const turnaroundIn = (held: readonly Window[], span: Window, turnaround: number): readonly Window[] => {
  if (turnaround === 0) return []
  const stretches: Window[] = []
  const add = (from: number, to: number): void => {
    const [start, end] = [Math.max(from, span.start), Math.min(to, span.end)]
    if (start >= end || stretches.length === WINDOWS_MAX) return
    const last = stretches.at(-1)
    if (last !== undefined && last.end >= start) stretches[stretches.length - 1] = { start: last.start, end }
    else stretches.push({ start, end })
  }
  let former = span.start
  for (const [n, { start, end }] of held.entries()) {
    add(Math.max(former, start - turnaround), start)
    add(end, Math.min(earliestAfter(end, turnaround), held[n + 1]?.start ?? span.end))
    former = end
  }
  return stretches
}

/** @param held by start, from a turnaround before the span on */
export const describe = (
  { _id, name }: Pick<Sut, '_id' | 'name'>,
  held: readonly Window[],
  turnaround: number,
  { span, duration }: Pick<AvailableQuery, 'span' | 'duration'>,
): AvailableSut => {
  const reach = reachOf(span, turnaround)
  const near = held.filter(({ start, end }) => start < reach.end && end > reach.start)
  const { windows: free, next } = findFreeWindows(near, span, duration, WINDOWS_MAX, turnaround)
  return { _id, name, free, next, turnaround: turnaroundIn(near, span, turnaround) }
}

/** SUTs that filters find, newest created first. */
export const makeAvailable =
  (ask: RunQuery, lists: Reads) =>
  (query: FilteredQuery): AvailablePage => {
    const { after, scope, limit, span, filters } = query
    if (filters.is_active === false) return { suts: [], next: undefined }
    const suts: AvailableSut[] = []
    let last = after?.sut_id
    for (;;) {
      const createdBefore = last === undefined ? undefined : ask<Created>(CREATED, last)[0]?.created
      const part = { limit: CHUNK, offset: 0, createdBefore, withSettings: true }
      const { details = [], ...page } = lists.suts({ ...filters, is_active: true, scope, ...part })
      const documents = page.documents.map((text) => JSON.parse(text) as Sut)
      const ids = documents.map(({ _id }) => _id)
      const held = Map.groupBy(lists.heldBy(ids, reachOf(span, REACH)), ({ sut_id }) => sut_id)
      for (const [n, sut] of documents.entries()) {
        if (suts.length === limit) return { suts, next: { sut_id: last ?? '' } }
        const { turnaround = 0 } = JSON.parse(details[n]?.settings ?? '{}') as RecordedSettings
        const shown = describe(sut, held.get(sut._id) ?? [], turnaround, query)
        // Those without anything free are passed over, also by the cursor.
        last = sut._id
        if (shown.free.length > 0) suts.push(shown)
      }
      if (documents.length < CHUNK) return { suts, next: undefined }
    }
  }

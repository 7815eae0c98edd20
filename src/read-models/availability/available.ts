import type { Sut } from '../../../projections/sut.ts'
import { findFreeWindows } from '../../domain/calendar/free-windows.ts'
import { earliestAfter, reachOf } from '../../domain/calendar/turnaround.ts'
import { QUARTER, type Window } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { makeFit, profileOf } from '../../domain/matching/fit.ts'
import { newWindows, openingAt, putWindow } from '../../domain/matching/openings.ts'
import { compareRanks, hashText, idleDaysOf, mixHashes, type Rank, restOf } from '../../domain/matching/order.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { HeldRow, makeReservationReads } from '../lists/reservations.ts'
import type { makeSutList, makeSutReads, SutListQuery } from '../lists/suts.ts'

/** Where a page of SUTs ended: after one in the order of creation, or after one in the order of matching. */
export type OfferedAfter = { readonly sut_id: string } | RankedAfter

/** A place in the order of matching, as of the quarter and with the seed of its first page. */
interface RankedAfter extends Rank {
  readonly quarter: number
  readonly seed: string
  /** When the window begins that it is ranked for. */
  readonly start: number
}

/** SUTs with something free in a span. Times are in Unix seconds. */
export interface AvailableQuery {
  readonly span: Window
  /** The shortest free window. */
  readonly duration: number
  readonly limit: number
  readonly scope: Scope | undefined
  readonly wanted:
    | { readonly filters: Pick<SutListQuery, 'sut_type' | 'is_active' | 'monitoring' | 'name' | 'tags' | 'free'> }
    | {
        readonly criteria: Criteria
        readonly quarter: number
        /** The latest start of a window. */
        readonly latest: number
        readonly seed: string
      }
  readonly after: OfferedAfter | undefined
}

interface AvailableSut {
  readonly _id: string
  readonly name: string
  readonly free: readonly Window[]
  /** Where the next free window begins, if there are more. */
  readonly next: number | undefined
  /** What is neither held nor free, because a machine needs time between reservations. */
  readonly turnaround: readonly Window[]
}

export interface AvailablePage {
  readonly suts: readonly AvailableSut[]
  readonly next: OfferedAfter | undefined
}

type Reads = { readonly suts: ReturnType<typeof makeSutList> } & Pick<
  ReturnType<typeof makeReservationReads>,
  'heldBy' | 'lastEnds'
> &
  Pick<ReturnType<typeof makeSutReads>, 'turnaroundsOf'>

/** Free windows, and stretches of turnaround, of a SUT. */
const WINDOWS_MAX = 100
/** SUTs looked at together. */
const CHUNK = 200
/** More SUTs than there can be: each has a port. */
const SUTS_MAX = 65_536
/** The longest turnaround. */
const REACH = 86_400

/** What only turnaround keeps from being booked: after each window and before the next. The windows are by start. */
const turnaroundIn = (held: readonly Window[], span: Window, turnaround: number): readonly Window[] => {
  if (turnaround === 0) return []
  const found: Window[] = []
  const add = (from: number, to: number): void => {
    const [start, end] = [Math.max(from, span.start), Math.min(to, span.end)]
    if (start >= end || found.length === WINDOWS_MAX) return
    const last = found.at(-1)
    if (last !== undefined && last.end >= start) found[found.length - 1] = { start: last.start, end }
    else found.push({ start, end })
  }
  let former = span.start
  for (const [n, { start, end }] of held.entries()) {
    add(Math.max(former, start - turnaround), start)
    add(end, Math.min(earliestAfter(end, turnaround), held[n + 1]?.start ?? span.end))
    former = end
  }
  return found
}

/** Groups rows by SUT. They are by start. */
const bySut = (rows: readonly HeldRow[]): ReadonlyMap<string, readonly HeldRow[]> =>
  Map.groupBy(rows, ({ sut_id }) => sut_id)

const describe = (
  { _id, name }: Pick<Sut, '_id' | 'name'>,
  held: readonly HeldRow[],
  turnaround: number,
  { span, duration }: AvailableQuery,
): AvailableSut => {
  const reach = reachOf(span, turnaround)
  const near = held.filter(({ start, end }) => start < reach.end && end > reach.start)
  const { windows: free, next } = findFreeWindows(near, span, duration, WINDOWS_MAX, turnaround)
  return { _id, name, free, next, turnaround: turnaroundIn(near, span, turnaround) }
}

/** SUTs that filters find, newest created first. */
const readFiltered = (
  lists: Reads,
  createdOf: (sutId: string) => PublicPosition | undefined,
  query: AvailableQuery,
  filters: Extract<AvailableQuery['wanted'], { readonly filters: object }>['filters'],
): AvailablePage => {
  const { after, scope, limit, span } = query
  if (filters.is_active === false) return { suts: [], next: undefined }
  const suts: AvailableSut[] = []
  let last = after !== undefined && 'sut_id' in after ? after.sut_id : undefined
  for (;;) {
    const createdBefore = last === undefined ? undefined : createdOf(last)
    const page = lists.suts({ ...filters, is_active: true, scope, limit: CHUNK, offset: 0, createdBefore })
    const documents = page.documents.map((text) => JSON.parse(text) as Sut)
    const ids = documents.map(({ _id }) => _id)
    const turnarounds = lists.turnaroundsOf(ids)
    const held = bySut(lists.heldBy(ids, reachOf(span, REACH)))
    for (const sut of documents) {
      if (suts.length === limit) return { suts, next: { sut_id: last ?? '' } }
      const shown = describe(sut, held.get(sut._id) ?? [], turnarounds.get(sut._id) ?? 0, query)
      // Those without anything free are passed over, also by the cursor.
      last = sut._id
      if (shown.free.length > 0) suts.push(shown)
    }
    if (documents.length < CHUNK) return { suts, next: undefined }
  }
}

type Ranked = { readonly shown: AvailableSut; readonly place: Omit<RankedAfter, 'quarter' | 'seed'> }

const comparePlaces = (a: Ranked['place'], b: Ranked['place']): number => a.start - b.start || compareRanks(a, b)

/** SUTs that fit criteria, in the order of matching for the earliest window of the length that each has. */
const readRanked = (
  lists: Reads,
  query: AvailableQuery,
  wanted: Extract<AvailableQuery['wanted'], { readonly criteria: Criteria }>,
): AvailablePage => {
  const { scope, limit, span, duration, after } = query
  const place = after !== undefined && 'rest' in after ? after : undefined
  const { criteria, latest } = wanted
  const { quarter, seed } = place ?? wanted
  const isFit = makeFit(criteria)
  const fitting = lists
    .suts({ is_active: true, withoutOffline: true, scope, limit: SUTS_MAX, offset: 0 })
    .documents.map((text) => JSON.parse(text) as Sut)
    .filter((sut) => isFit(profileOf(sut, sut.tags)))
  const ids = fitting.map(({ _id }) => _id)
  const turnarounds = lists.turnaroundsOf(ids)
  const from = Math.min(quarter, span.start) - REACH - QUARTER
  const held = bySut(lists.heldBy(ids, { start: from, end: Math.max(latest, span.end) + REACH }))
  const lastEnds = lists.lastEnds(ids, from)
  const seedHash = hashText(seed)

  const rank = (sut: Sut): readonly Ranked[] => {
    const turnaround = turnarounds.get(sut._id) ?? 0
    const own = held.get(sut._id) ?? []
    const shown = describe(sut, own, turnaround, query)
    const [first] = shown.free
    if (first === undefined) return []
    const windows = newWindows()
    windows.lastEnd = lastEnds.get(sut._id) ?? 0
    for (const window of own) putWindow(windows, window)
    const opening = openingAt(windows, first.start - (first.start % QUARTER), turnaround)
    const end = first.start + duration
    const around = { start: Math.max(opening.from, quarter), end: Math.max(Math.min(opening.until, latest), end) }
    const rest = Math.max(0, restOf(around, { start: first.start, end }))
    const idleDays = idleDaysOf(first.start, opening.lastEnd)
    const hash = mixHashes(seedHash, hashText(sut._id))
    return [{ shown, place: { start: first.start, rest, idleDays, hash } }]
  }

  const ranked = fitting
    .flatMap(rank)
    .filter((one) => place === undefined || comparePlaces(one.place, place) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place))
  const page = ranked.slice(0, limit)
  const last = ranked.length > limit ? page.at(-1) : undefined
  return { suts: page.map(({ shown }) => shown), next: last && { ...last.place, quarter, seed } }
}

/** @param createdOf where a SUT was created, for pages in that order */
export const makeAvailable =
  (lists: Reads, createdOf: (sutId: string) => PublicPosition | undefined) =>
  (query: AvailableQuery): AvailablePage => {
    const { wanted } = query
    return 'criteria' in wanted
      ? readRanked(lists, query, wanted)
      : readFiltered(lists, createdOf, query, wanted.filters)
  }

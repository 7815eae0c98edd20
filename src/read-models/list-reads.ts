import { BEFORE_FIRST, type PublicPosition } from '../domain/values/position.ts'
import { type AvailablePage, type AvailableQuery, makeAvailable } from './availability/available.ts'
import type { ViewsFile } from './file/views-file.ts'
import type { Details, ListPage, Lists, ReservationListQuery, SutListQuery } from './lists/lists.ts'

/** What the main thread reads itself, and what only other lists need. */
type NotRead = 'seriesReservations' | 'heldBy' | 'lastEnds' | 'turnaroundsOf' | 'histories' | 'sessionEvents'

/** The reads of lists, by name. */
export interface ListReads extends Omit<Lists, 'past' | NotRead> {
  readonly available: (query: AvailableQuery) => AvailablePage
  readonly pastReservations: (query: ReservationListQuery, asOf: PublicPosition) => ListPage
  readonly pastSuts: (query: SutListQuery, asOf: PublicPosition) => ListPage
}

/** A list and the public position that it shows. */
export interface ListResult<A> {
  readonly position: PublicPosition
  readonly listed: A
}

/** Reads a list of a file, with the position that the file has. */
export const makeListRead = (file: Pick<ViewsFile, 'lists' | 'newest' | 'progress'>) => {
  const { past } = file.lists
  const reads: ListReads = {
    ...file.lists,
    available: makeAvailable(file.lists, (sutId) => file.newest('sut', sutId)?.created),
    pastSuts: past.suts,
    pastReservations: ({ offset, limit, ...query }, asOf) => {
      const documents: string[] = []
      const details: Details[] = []
      const positions: PublicPosition[] = []
      let count = 0
      for (const segment of past.segments(asOf)) {
        const part = { limit: limit - documents.length - positions.length, offset: Math.max(0, offset - count) }
        const page = past.reservations({ ...query, ...part }, asOf, segment)
        documents.push(...page.documents)
        details.push(...(page.details ?? []))
        positions.push(...(page.positions ?? []))
        count += page.count
      }
      return { documents, count, ...(query.asPositions ? { positions } : query.withDetails && { details }) }
    },
  }
  return <Name extends keyof ListReads>(
    name: Name,
    args: Parameters<ListReads[Name]>,
  ): ListResult<ReturnType<ListReads[Name]>> => {
    const find = reads[name] as (...args: readonly unknown[]) => never
    return { position: file.progress()?.position ?? BEFORE_FIRST, listed: find(...args) }
  }
}

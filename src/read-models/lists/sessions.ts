import { IS_OPEN } from '../tables/schema.ts'
import { columnsOf, condition, type ListPage, optional, type PageQuery, pageOf, type Reads, readPage } from './page.ts'

export interface SessionQuery extends PageQuery {
  readonly sut_id?: string | undefined
  readonly user_id?: string | undefined
  readonly reservation_id?: string | undefined
  /** Unix milliseconds: only sessions that close later, or are open. */
  readonly closesAfter?: number | undefined
  /** Unix milliseconds: only sessions that open earlier. */
  readonly opensBefore?: number | undefined
  readonly isOpen?: boolean
}

export const makeSessionList =
  (reads: Reads) =>
  (query: SessionQuery): ListPage => {
    const { sut_id, user_id, reservation_id, isOpen, closesAfter, opensBefore } = query
    const filters = [
      ...optional('sut = ?', sut_id),
      ...optional('user = ?', user_id),
      ...optional('reservation = ?', reservation_id),
      ...(isOpen ? [condition(IS_OPEN)] : []),
      ...optional('opens < ?', opensBefore),
      ...optional('closes > ?', closesAfter),
    ]
    return pageOf(readPage(reads, 'session', filters, columnsOf(query), query), query)
  }

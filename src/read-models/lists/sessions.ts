import { IS_OPEN } from '../tables/schema.ts'
import { condition, type List, optional, type PageQuery } from './page.ts'

export interface SessionQuery extends PageQuery {
  readonly sut_id?: string | undefined
  readonly user_id?: string | undefined
  /** Only those of this user too. */
  readonly seenBy?: string
  readonly reservation_id?: string | undefined
  /** Unix milliseconds: only sessions that close later, or are open. */
  readonly closesAfter?: number | undefined
  /** Unix milliseconds: only sessions that open earlier. */
  readonly opensBefore?: number | undefined
  readonly isOpen?: boolean
}

export const SESSIONS: List<SessionQuery> = {
  table: 'session',
  filters: ({ sut_id, user_id, seenBy, reservation_id, isOpen, closesAfter, opensBefore }) => [
    ...optional('sut = ?', sut_id),
    ...optional('user = ?', user_id),
    ...optional('user = ?', seenBy),
    ...optional('reservation = ?', reservation_id),
    ...(isOpen ? [condition(IS_OPEN)] : []),
    ...optional('opens < ?', opensBefore),
    ...optional('closes > ?', closesAfter),
  ],
}

import * as E from 'fp-ts/lib/Either.js'
import type { Sut } from '../../../../projections/sut.ts'
import type { CalendarQuery } from '../../../read-models/lists/upcoming.ts'
import { type QueryOf, queryOf } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import { everyone, get, type Route } from '../../protocol/route.ts'
import { CALENDAR, CALENDAR_MAX, calendarText } from '../../response/calendar.ts'
import { tagOf } from '../../response/objects.ts'
import { visibilityOf } from '../../response/visibility.ts'
import { type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'
import { freeRules, freeSpan, sutFilters } from './sut-reads.ts'

/** Seconds that a calendar reaches back. */
const PAST = 30 * 86_400

/** Responds with the reservations that match, as far as the user sees them. */
const respond = async (
  { objects, nameOf, clock }: Parts,
  { user }: Pick<Call, 'user'>,
  title: string,
  filters: Pick<CalendarQuery, 'sut_id' | 'suts' | 'user_id'>,
): RouteResult => {
  const now = Math.floor(clock() / 1000)
  // From midnight: otherwise what is over would leave at any time, and change the entity tag.
  const since = now - (now % 86_400) - PAST
  const query = { ...filters, visibility: visibilityOf(user), since, now, limit: CALENDAR_MAX }
  const read = await objects.showList('calendar', query)
  if (E.isLeft(read)) return read
  const { listed, position } = read.right
  const body = await calendarText(title, listed, filters.user_id === undefined ? nameOf : undefined)
  return E.right({ status: 200, body, headers: { ETag: tagOf(body) }, position })
}

const ofSut: Show<Parts, Call> = (parts, call, { id, document }) =>
  respond(parts, call, (JSON.parse(document) as Sut).name, { sut_id: id })

const sutsQuery = queryOf(sutFilters, { rules: freeRules })

const ofSuts = async (parts: Parts, call: Call<unknown, QueryOf<typeof sutsQuery>>): RouteResult => {
  const { free_from: _, free_to: __, 'tag.': tags = {}, ...filters } = call.query
  const free = freeSpan(call.query, parts.clock())
  if (E.isLeft(free)) return free
  return respond(parts, call, 'Berth', { suts: { ...filters, tags, free: free.right, scope: call.user.scope } })
}

const SHOWN =
  'The reservations of the past 30 days and all that are ahead, for calendar programs to subscribe to (RFC 5545). A token of the scope calendar is enough, as the user name of the address. It has at most 2,000 reservations, those nearest to now.'

const ofCalendars = {
  ...({ roles: everyone, tokenScope: 'calendar', mediaType: CALENDAR, isTagged: true } as const),
  ...{ answer: { type: 'string' }, guide: 'calendars.md', description: SHOWN },
  refusals: ['store_full'] as const,
}

export const calendarRoutes: readonly Route<Parts>[] = [
  get('/api/sut/:id/calendar.ics', {
    id: 'readSutCalendar',
    summary: 'Read the calendar of a SUT',
    ...ofCalendars,
    refusals: ['sut_not_found', 'store_full'],
    handler: withVisible('sut', ofSut),
  }),
  get('/api/user/me/calendar.ics', {
    id: 'readMyCalendar',
    summary: 'Read the calendar of one’s own reservations',
    ...ofCalendars,
    handler: (parts, call) => respond(parts, call, call.user.name, { user_id: call.user._id }),
  }),
  get('/api/calendar.ics', {
    id: 'readCalendar',
    summary: 'Read the calendar of all SUTs, or of those that filters choose',
    ...ofCalendars,
    query: sutsQuery,
    handler: ofSuts,
  }),
]

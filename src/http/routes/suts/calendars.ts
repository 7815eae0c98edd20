/** Reservations as a calendar to subscribe to (RFC 5545, RFC 7986). */

import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Reservation, ReservationInternal } from '../../../../projections/reservation.ts'
import type { Sut } from '../../../../projections/sut.ts'
import type { CalendarQuery, CalendarRow } from '../../../read-models/lists/upcoming.ts'
import { type QueryOf, queryOf } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import { everyone, get, type Route } from '../../protocol/route.ts'
import { tagOf } from '../../response/objects.ts'
import { type UserNames, visibilityOf } from '../../response/visibility.ts'
import { type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'
import { freeRules, freeSpan, sutFilters } from './sut-reads.ts'

const CALENDAR = 'text/calendar; charset=utf-8'

/** Reservations of a calendar, about a megabyte. */
export const CALENDAR_MAX = 2_000

/** Seconds after which a subscriber may ask again. */
const REFRESH = 900

/** Events made per turn of the event loop: about 2 ms. */
const EVENTS_PER_TURN = 100

const TAIL = 'END:VCALENDAR'

type Library = typeof import('ical-generator')

/** What an event says. Nobody is busy because a SUT is. Clients that ignore the status show the summary. */
const eventOf = ({ document, internal, ended, ...row }: CalendarRow, holderOf: UserNames | undefined, ics: Library) => {
  const reservation = JSON.parse(document) as Reservation
  const { planned_end } = JSON.parse(internal) as ReservationInternal
  const { _id, created_at, updated_at, start_time, end_time, user_id, sut_id, listen_port } = reservation
  const { sutName, sutType, tags, changes: sequence } = row
  const isCancelled = ended === 'cancelled'
  const title = [sutName ?? sut_id, ...(holderOf ? [holderOf(user_id)] : [])].join(': ')
  const released = planned_end ? `\nReleased at ${end_time}, planned until ${planned_end}` : ''
  const categories = Object.entries(JSON.parse(tags ?? '{}') as Sut['tags']).map(([name, value]) => `${name}=${value}`)
  return {
    ...{ id: _id, sequence, start: start_time, end: end_time },
    // Without a METHOD, the time stamp is that of the last change.
    ...{ created: created_at, lastModified: updated_at, stamp: updated_at },
    summary: isCancelled ? `Cancelled: ${title}` : title,
    location: sutName,
    description: `Port ${listen_port}${released}`,
    categories: [...(sutType ? [sutType] : []), ...categories].map((name) => ({ name })),
    status: isCancelled ? ics.ICalEventStatus.CANCELLED : ics.ICalEventStatus.CONFIRMED,
    transparency: ics.ICalEventTransparency.TRANSPARENT,
  }
}

/**
 * The text of a calendar of these reservations.
 *
 * @param holderOf undefined where all have the same holder
 */
export const calendarText = async (
  title: string,
  rows: readonly CalendarRow[],
  holderOf: UserNames | undefined,
): Promise<string> => {
  // Few services have subscribers.
  const ics = await import('ical-generator')
  // The library escapes what events say, but not this.
  const name = ics.escape(title, false)
  const description = rows.length < CALENDAR_MAX ? null : `Only the ${CALENDAR_MAX} reservations nearest to the present`
  const calendar = ics.default({ name, description, prodId: '//Berth//Berth//EN', ttl: REFRESH })
  let text = calendar.toString().slice(0, -TAIL.length)
  for (let n = 0; n < rows.length; n += EVENTS_PER_TURN) {
    await turn()
    const events = rows
      .slice(n, n + EVENTS_PER_TURN)
      .map((row) => new ics.ICalEvent(eventOf(row, holderOf, ics), calendar))
    text += ics.foldLines(events.join(''))
  }
  return `${text}${TAIL}\r\n`
}

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

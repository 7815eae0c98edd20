import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { CalendarRow } from '../../read-models/lists/upcoming.ts'
import type { UserNames } from './visibility.ts'

/** Reservations as a calendar to subscribe to (RFC 5545, RFC 7986). */

export const CALENDAR = 'text/calendar; charset=utf-8'

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

/** Calendars, as another library reads them. */

import test from 'ava'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { CALENDAR_MAX, calendarText } from '../../../src/http/routes/suts/calendars.ts'
import type { CalendarRow } from '../../../src/read-models/lists/upcoming.ts'
import { anyCharacter } from '../../characters.ts'
import { idOf } from '../harness.ts'
import { asks, during, type Lab, lab } from '../lab.ts'
import { createSut } from '../requests.ts'

const MINE = '/api/user/me/calendar.ics'
const ALL = '/api/calendar.ics'

interface Entry {
  readonly uid: string
  readonly says: string
  readonly at: string
  readonly sequence: number
  readonly status: string
}

const componentOf = (text: string) => new ICAL.Component(ICAL.parse(text))
const textOf = (event: ICAL.Component, name: string): string => String(event.getFirstPropertyValue(name) ?? '')

/** The library does not know this property, and so does not unescape it (RFC 5545, section 3.3.11). */
const titleOf = (calendar: ICAL.Component): string => textOf(calendar, 'name').replace(/\\([\\;,])/g, '$1')

const entriesOf = (text: string): readonly Entry[] =>
  componentOf(text)
    .getAllSubcomponents('vevent')
    .map((event) => ({
      uid: textOf(event, 'uid'),
      says: textOf(event, 'summary'),
      at: `${textOf(event, 'dtstart').slice(11, -4)}-${textOf(event, 'dtend').slice(11, -1)}`,
      sequence: Number(textOf(event, 'sequence')),
      status: textOf(event, 'status'),
    }))

const calendarOf = async (service: Lab, who: string, path: string) => {
  const answer = await service.ask(who, `GET ${path}`)
  return { text: answer.text, entries: entriesOf(answer.text), tag: String(answer.headers.etag) }
}
const summaries = async (service: Lab, who: string, path: string): Promise<readonly string[]> =>
  (await calendarOf(service, who, path)).entries.map(({ says }) => says).sort()

const basicOf = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })

test('a token of the scope calendar, sent as programs send the user name of an address, reads calendars only', async (t) => {
  const service = await lab(t)
  const paths = [MINE, ALL, `/api/sut/${service.sut}/calendar.ics`]
  for (const who of ['alice', 'audrey', 'admin']) {
    const { json } = await service.ask(who, 'POST /api/user/me/token', { name: 'my phone', scope: 'calendar' })
    t.is(json.scope, 'calendar')
    const token = String(json.token)
    for (const path of paths) {
      for (const sent of [basicOf(`${token}:`), basicOf(`${token}:x`), { Authorization: `Bearer ${token}` }]) {
        for (const accept of ['*/*', 'text/calendar', 'text/calendar,text/plain;q=0.8,*/*;q=0.5']) {
          const { status, headers } = await service.anyone.get(path, { ...sent, Accept: accept })
          t.deepEqual([status, headers['content-type']], [200, 'text/calendar; charset=utf-8'])
        }
      }
      t.is((await service.anyone.request('HEAD', path, basicOf(`${token}:`))).status, 200)
      // Thunderbird is made of a browser, whose header fields it sends.
      const unasked = await service.anyone.get(path, { 'Sec-Fetch-Mode': 'no-cors' })
      t.deepEqual([unasked.status, unasked.headers['www-authenticate']], [401, 'Basic realm="berth", charset="UTF-8"'])
    }
    for (const path of ['/api/sut', '/api/sut_reservation', '/api/user/me', '/metrics', `/api/sut/${service.sut}`])
      t.is((await service.anyone.get(path, basicOf(`${token}:`))).status, 403, path)
  }
  const { json: metrics } = await service.ask('admin', 'POST /api/user/me/token', { name: 'p', scope: 'metrics' })
  t.is((await service.anyone.get(ALL, basicOf(`${metrics.token}:`))).status, 403)
})

test('an event says who has what when, and what became of it; it changes only with that', async (t) => {
  const service = await lab(t, {}, { name: 'rig; 4, left', tags: { rack: '4,5' } })
  const made = async (window: string): Promise<string> =>
    String((await service.book('alice', window, { keepalive: 3_600 })).json._id)
  const [extended, cancelled] = [await made('07:00-08:00'), await made('09:00-10:00')]
  const released = await made('06:00-06:45')
  const path = `/api/sut/${service.sut}/calendar.ics`
  const first = await calendarOf(service, 'bob', path)
  const confirmed = { says: 'rig; 4, left: alice', sequence: 0, status: 'CONFIRMED' }
  t.deepEqual(first.entries, [
    { ...confirmed, uid: released, at: '06:00-06:45:00' },
    { ...confirmed, uid: extended, at: '07:00-08:00:00' },
    { ...confirmed, uid: cancelled, at: '09:00-10:00:00' },
  ])
  const whole = componentOf(first.text)
  t.is(titleOf(whole), 'rig; 4, left')
  for (const name of ['refresh-interval', 'x-published-ttl']) t.is(textOf(whole, name), 'PT15M')
  const [event] = whole.getAllSubcomponents('vevent') as [ICAL.Component]
  t.deepEqual(event.getFirstProperty('categories')?.getValues(), ['vnc', 'rack=4,5'])
  t.is(textOf(event, 'location'), 'rig; 4, left')
  t.is(textOf(event, 'transp'), 'TRANSPARENT')
  t.false(/^DT(?:START|END|STAMP)[^\r]*[^Z]\r$/m.test(first.text), 'all times are in UTC')

  // A start is recorded, the time goes on, and nothing changes.
  service.clock.set('2030-05-02T06:10:00Z')
  service.tick()
  await asks(t, service, [['alice', `POST /api/sut_reservation/${released}/keepalive`, '200']])
  t.is((await calendarOf(service, 'bob', path)).tag, first.tag)
  t.is((await service.ask('bob', `GET ${path}`, undefined, { 'If-None-Match': first.tag })).status, 304)

  await asks(t, service, [
    ['alice', `POST /api/sut_reservation/${extended}/extend`, '200', { end_time: during('07:00-08:30').end_time }],
    ['alice', `POST /api/sut_reservation/${cancelled}/cancel`, '200'],
    ['alice', `POST /api/sut_reservation/${released}/cancel`, '200'],
  ])
  const then = await calendarOf(service, 'bob', path)
  t.not(then.tag, first.tag)
  const changed = { ...confirmed, sequence: 1 }
  t.deepEqual(then.entries, [
    { ...changed, uid: released, at: '06:00-06:10:00' },
    { ...changed, uid: extended, at: '07:00-08:30:00' },
    { ...changed, uid: cancelled, at: '09:00-10:00:00', says: 'Cancelled: rig; 4, left: alice', status: 'CANCELLED' },
  ])
  const [early] = componentOf(then.text).getAllSubcomponents('vevent') as [ICAL.Component]
  t.regex(textOf(early, 'description'), /^Port \d+\nReleased at .*, planned until /)
  t.deepEqual(await summaries(service, 'alice', MINE), ['Cancelled: rig; 4, left', 'rig; 4, left', 'rig; 4, left'])
  t.deepEqual(await summaries(service, 'bob', MINE), [])

  // 30 days later only what is ahead is left, and after that nothing.
  service.clock.set('2030-06-01T23:59:59Z')
  t.is((await calendarOf(service, 'bob', path)).entries.length, 3)
  service.clock.set('2030-06-02T00:00:00Z')
  t.deepEqual((await calendarOf(service, 'bob', path)).entries, [])
})

test('what was cancelled more than 30 days ago is left out, however far ahead it was', async (t) => {
  const service = await lab(t)
  const ahead = { start_time: '2030-08-01T06:00:00Z', end_time: '2030-08-01T07:00:00Z' }
  const { json } = await service.book('alice', ahead)
  await service.ask('alice', `POST /api/sut_reservation/${json._id}/cancel`)
  t.is((await calendarOf(service, 'bob', ALL)).entries.length, 1)
  service.clock.set('2030-06-02T00:00:00Z')
  t.is((await calendarOf(service, 'bob', ALL)).entries.length, 0)
})

test('filters and scopes leave what the lists leave; one’s own are there without the name of what is out of sight', async (t) => {
  const service = await lab(t, {}, { name: 'inside', tags: { team: 'qa1' } })
  const outside = await createSut(service.as('admin'), { name: 'outside', port: 5903, tags: { team: 'qa2' } })
  await service.book('bob')
  await service.book('bob', '07:00-08:00', { sut_id: outside })
  await service.book('alice', '09:00-10:00', { sut_id: outside })
  t.deepEqual(await summaries(service, 'alice', ALL), ['inside: bob', 'outside: alice', 'outside: bob'])
  t.deepEqual(await summaries(service, 'alice', `${ALL}?tag.team=qa1`), ['inside: bob'])
  t.deepEqual(await summaries(service, 'alice', `${ALL}?name=OUT&sut_type=vnc&is_active=true`), [
    'outside: alice',
    'outside: bob',
  ])
  await service.ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  t.deepEqual(await summaries(service, 'alice', ALL), ['inside: bob'])
  t.deepEqual(await summaries(service, 'alice', MINE), [outside])
  await asks(t, service, [
    ['alice', `GET /api/sut/${outside}/calendar.ics`, '404 sut_not_found'],
    ['alice', `GET /api/sut/${service.sut}/calendar.ics`, '200'],
    ['alice', `GET ${ALL}?colour=red`, '422 invalid colour'],
    ['alice', `GET ${ALL}?retired=true`, '422 invalid retired'],
    ['alice', `GET ${MINE}?from=2030-05-02T00:00:00Z`, '422 invalid from'],
  ])
  t.is((await service.ask('alice', `GET ${ALL}`, undefined, { Accept: 'text/html' })).status, 406)
})

const aRow = (more: Partial<CalendarRow> = {}): CalendarRow => {
  const window = { start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T06:15:00Z' }
  const times = { created_at: '2030-05-01T06:00:00.123Z', updated_at: '2030-05-01T06:00:00.123Z' }
  const ids = { _id: '5'.repeat(24), user_id: 'u', sut_id: 's' }
  const document = JSON.stringify({ ...ids, ...window, ...times, listen_port: 1 })
  return { document, internal: '{}', ended: null, changes: 0, sutName: 'x', sutType: 'vnc', tags: '{}', ...more }
}

test('names come back as they were, whatever is in them, in lines of 75 bytes at most', async (t) => {
  const line = fc.string({ unit: anyCharacter.filter((one) => !/\p{Cc}/u.test(one)), minLength: 1, maxLength: 90 })
  const hostile = fc.oneof(line, fc.constantFrom('\\n', '\\;,:"', 'END:VEVENT', '\u2028', '👩‍🚀'.repeat(30), ' '))
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (sutName, holder, tag) => {
      const rows = [aRow({ sutName, tags: JSON.stringify({ a: tag }) }), aRow()]
      const text = await calendarText(sutName, rows, () => holder)
      for (const one of text.split('\r\n')) t.true(Buffer.byteLength(one) <= 75, one)
      t.true(text.endsWith('END:VCALENDAR\r\n'))
      const calendar = componentOf(text)
      const events = calendar.getAllSubcomponents('vevent')
      t.is(events.length, 2)
      const [event] = events as [ICAL.Component]
      t.is(titleOf(calendar), sutName)
      t.is(textOf(event, 'summary'), `${sutName}: ${holder}`)
      t.is(textOf(event, 'location'), sutName)
      t.deepEqual(event.getFirstProperty('categories')?.getValues(), ['vnc', `a=${tag}`])
    }),
    { numRuns: 40 },
  )
})

test('a calendar that has as many events as it may says so, and is made in turns', async (t) => {
  const rows = Array.from({ length: CALENDAR_MAX }, () => aRow())
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const text = await calendarText('all', rows, undefined)
  clearInterval(counting)
  t.true(turns > 3)
  t.is(entriesOf(text).length, CALENDAR_MAX)
  t.is(textOf(componentOf(text), 'x-wr-caldesc'), 'Only the 2000 reservations nearest to the present')
})

/** Formats, pages and filters of the feed. */

import test from 'ava'
import type { Recorded } from '../../src/domain/event.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { cloudEvent } from '../../src/feed/events/cloud-event.ts'
import { alice, tokenIssued } from '../domain/builders.ts'
import type { Answer } from '../http/client.ts'
import { idOf, type Running, start, tidyingLater } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { createSut, NOW } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { startWithLog } from './log-file.ts'
import { EVENT_STREAM, eventsIn, LINES, openStream, sequenceAt } from './readers.ts'
import { begin } from './writing.ts'

const later = tidyingLater()
let service: Running
let suts: readonly [string, string]

test.before(async () => {
  service = await start(later, { now: NOW })
  suts = await begin(service.as('admin'), 8)
})
test.after.always(later.tidy)

interface Page {
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly next: string | null
  readonly caught_up: boolean
}

const pageAt = async (query = '', running: Running = service): Promise<Page> =>
  (await running.as('audrey').get(`/api/events${query}`)).json as unknown as Page

const typesIn = ({ events }: Page): readonly unknown[] => events.map(({ type }) => type)
const jsonIn = ({ events }: Page): readonly string[] => events.map((event) => JSON.stringify(event))

test('an event is a CloudEvent with a fixed order of members', (t) => {
  const key = `${'k'.repeat(22)}.${'r'.repeat(22)}`
  const time = '2030-05-02T05:58:11.400Z'
  const metadata = { actor: 'a', role: 'tester', request_id: 'r', time, schema: 1, key } as const
  const data = { user_id: 'u', sut_id: suts[0], _id: '58c38f5d444553252cce0001' }
  const event = {
    type: 'ReservationCancelled',
    data,
    stream: 's',
    revision: 4,
    id: 'i',
    metadata,
    storePosition: 9,
  } as Recorded
  const expected = {
    specversion: '1.0',
    id: 'i',
    source: 'lab.example/berth',
    type: 'berth.ReservationCancelled',
    subject: suts[0],
    time,
    datacontenttype: 'application/json',
    dataschema: 'urn:berth:schema:ReservationCancelled:1',
    data: { _id: data._id, sut_id: suts[0], user_id: 'u' },
    sequence: '00000000000000000007',
    stream: 's',
    revision: 4,
    actor: 'a',
    actorrole: 'tester',
    requestid: 'r',
  }
  t.is(JSON.stringify(cloudEvent(event, toPublicPosition(7), 'lab.example/berth')), JSON.stringify(expected))
  const reasoned = { ...event, metadata: { ...metadata, reason: 'why' } } as Recorded
  t.is(
    JSON.stringify(cloudEvent(reasoned, toPublicPosition(7), 'lab.example/berth')),
    JSON.stringify({ ...expected, reason: 'why' }),
  )
  const ofToken = cloudEvent({ ...event, ...tokenIssued() } as Recorded, toPublicPosition(7), 'lab.example/berth')
  t.is(ofToken.subject, alice, 'a token is about its user')
})

test('pages, lines and Server-Sent Events contain identical events, live and after a restart', async (t) => {
  const own = await start(t, { now: NOW })
  const live = await openStream(own.port)
  const lines = await openStream(own.port, '?follow=true', { accept: LINES })
  await createSut(own.as('admin'), { rdp_width: 1024, tags: undefined, password: 'x', user_name: 'y' })
  const [asStream, asLines] = [
    await live.until((so) => eventsIn(so).length === 7),
    await lines.until((so) => eventsIn(so).length === 7),
  ]
  const page = await pageAt('', own)
  await own.stop()
  const again = await start(t, { now: NOW, data: own.data })
  t.deepEqual(jsonIn(await pageAt('', again)), jsonIn(page))
  for (const { messages: read } of [asStream, asLines]) {
    const events = read.filter(({ kind }) => kind.startsWith('berth.'))
    t.deepEqual(
      events.map(({ data }) => data),
      jsonIn(page),
    )
    t.deepEqual(
      events.map(({ kind, position }) => [kind, position]),
      page.events.map(({ type, sequence }) => [type, sequence]),
    )
  }
})

test('`next` leads through the log, even if a filter leaves a page short or empty', async (t) => {
  const whole = await pageAt()
  t.deepEqual([whole.events.length, whole.next, whole.caught_up], [17, sequenceAt(16), true])
  const [first, rest] = [await pageAt('?limit=5'), await pageAt(`?after=${sequenceAt(4)}`)]
  t.deepEqual([first.next, first.caught_up, rest.caught_up], [sequenceAt(4), false, true])
  t.deepEqual([...jsonIn(first), ...jsonIn(rest)], jsonIn(whole))
  t.deepEqual(await pageAt('?type=SutRetired'), {
    events: [],
    next: sequenceAt(16),
    caught_up: true,
  })
  t.deepEqual(await pageAt(`?after=${sequenceAt(16)}`), {
    events: [],
    next: sequenceAt(16),
    caught_up: true,
  })
  const fresh = await start(t, { now: NOW })
  // Recorded by the start itself.
  t.deepEqual(typesIn(await pageAt('', fresh)), ['berth.LogVersionSet', ...Array(4).fill('berth.UserAdded')])
})

test('order=desc leads through the log from the newest event back', async (t) => {
  const newestFirst = jsonIn(await pageAt()).toReversed()
  const all = await pageAt('?order=desc')
  t.deepEqual([jsonIn(all), all.next, all.caught_up], [newestFirst, sequenceAt(0), true])
  const first = await pageAt('?order=desc&limit=5')
  t.deepEqual([jsonIn(first), first.next, first.caught_up], [newestFirst.slice(0, 5), sequenceAt(12), false])
  const rest = await pageAt(`?order=desc&limit=13&before=${first.next}`)
  t.deepEqual([jsonIn(rest), rest.next, rest.caught_up], [newestFirst.slice(5), sequenceAt(0), true])
  t.deepEqual(await pageAt('?order=desc&before=0'), {
    events: [],
    next: sequenceAt(0),
    caught_up: true,
  })
  t.deepEqual(await pageAt('?order=desc&before=17'), all)
  const created = await pageAt('?order=desc&type=SutCreated,ListenPortAssigned')
  t.deepEqual(jsonIn(created), jsonIn(await pageAt('?type=SutCreated,ListenPortAssigned')).toReversed())
})

test('thorough: a page in either order covers at most 4,096 events and 4 MB, and reports whether there are more', async (t) => {
  const own = await startWithLog(t, { count: 4_200, characters: 1 }, { now: NOW })
  const newest = await pageAt('?order=desc&limit=3', own)
  t.deepEqual(
    newest.events.map(({ sequence }) => sequence),
    [4_204, 4_203, 4_202].map((n) => sequenceAt(n)),
  )
  const none = { events: [], caught_up: false }
  t.deepEqual(await pageAt('?type=SutRetired', own), { ...none, next: sequenceAt(4_095) })
  const rest = await pageAt(`?type=SutRetired&after=${sequenceAt(4_095)}`, own)
  t.deepEqual(rest, { events: [], next: sequenceAt(4_204), caught_up: true })
  t.deepEqual(await pageAt('?order=desc&type=SutRetired', own), { ...none, next: sequenceAt(4_205 - 4_096) })
  const first = await pageAt(`?order=desc&limit=1000&before=${sequenceAt(4_205 - 4_096)}`, own)
  t.deepEqual([first.events.length, first.next, first.caught_up], [109, sequenceAt(0), true])
  t.deepEqual(jsonIn(first), jsonIn(await pageAt('?limit=109', own)).toReversed())
  t.is((await pageAt('?limit=1000', own)).events.length, 1_000)
  const lines = await own.as('audrey').get('/api/events', { Accept: LINES })
  t.is(lines.text.trimEnd().split('\n').length, 4_205 + 1)
  t.is(lines.headers['berth-position'], sequenceAt(4_204))
  const large = await startWithLog(t, { count: 500, characters: 4_000 }, { now: NOW })
  for (const order of ['', '&order=desc']) {
    const short = await pageAt(`?limit=1000${order}`, large)
    t.true(short.events.length > 200 && short.events.length < 230 && !short.caught_up)
    t.is(short.events.at(-1)?.sequence, short.next)
  }
})

test('events are filtered by type, by SUT including its port and reservations, and by user', async (t) => {
  const both = await pageAt('?type=berth.SutCreated&type=ListenPortAssigned')
  const created = ['berth.ListenPortAssigned', 'berth.SutCreated']
  t.deepEqual(typesIn(both), [...created, ...created])
  t.deepEqual(await pageAt('?type=SutCreated,ListenPortAssigned'), both)
  t.deepEqual(typesIn(await pageAt(`?sut_id=${suts[1]}`)), created)
  t.deepEqual(typesIn(await pageAt(`?sut_id=${suts[0]}`)).length, 10)
  const ofBob = await pageAt(`?user_id=${idOf('bob')}`)
  t.deepEqual(
    ofBob.events.map(({ type, data, subject }) => [type, (data as { user_id?: string }).user_id, subject]),
    [
      ['berth.UserAdded', undefined, idOf('bob')],
      ['berth.ReservationCreated', idOf('bob'), suts[0]],
      ['berth.ReservationCreated', idOf('bob'), suts[0]],
    ],
  )
  t.is((await pageAt(`?sut_id=${idOf('bob')}`)).events.length, 0, 'a user is no SUT')
  t.is((await pageAt(`?user_id=${idOf('bob')}&type=SutUpdated`)).events.length, 0)
  t.is((await pageAt('?user_id=nobody')).events.length, 0)
})

test('a position may omit leading zeros, and `latest` is the end of the log', async (t) => {
  t.deepEqual(await pageAt('?after=4'), await pageAt(`?after=${sequenceAt(4)}`))
  t.deepEqual(await pageAt('?after=0004&limit=2'), await pageAt(`?after=${sequenceAt(4)}&limit=2`))
  const end = await pageAt('?after=latest')
  t.deepEqual([end.events, end.caught_up], [[], true])
  t.true(String(end.next) >= sequenceAt(11), String(end.next))
})

const ask = (query: string, headers = {}): Promise<Answer> => service.as('audrey').get(`/api/events${query}`, headers)
const BEYOND = sequenceAt(17)

const wrong: Readonly<Record<string, readonly [query: string, headers: object, ...where: string[]]>> = {
  'a position of 21 digits': [`?after=0${sequenceAt(1)}`, {}, 'after'],
  'a position of 2^53': ['?after=9007199254740992', {}, 'after'],
  'a Last-Event-ID of latest': ['', { Accept: EVENT_STREAM, 'Last-Event-ID': 'latest' }, 'Last-Event-ID'],
  'a position after the last': [`?after=${BEYOND}`, {}, 'after'],
  'an impossibly large position': [`?after=${'9'.repeat(20)}`, {}, 'after'],
  'a malformed Last-Event-ID': ['', { 'Last-Event-ID': 'abc' }, 'Last-Event-ID'],
  'a Last-Event-ID after the last event': ['', { Accept: EVENT_STREAM, 'Last-Event-ID': BEYOND }, 'Last-Event-ID'],
  'a wrong Last-Event-ID and a wrong parameter': ['?after=x', { 'Last-Event-ID': 'abc' }, 'after', 'Last-Event-ID'],
  'order=desc with after': ['?order=desc&after=1', {}, 'after'],
  'order=desc with Last-Event-ID': ['?order=desc', { 'Last-Event-ID': sequenceAt(1) }, 'Last-Event-ID'],
  'order=desc on lines': ['?order=desc', { Accept: LINES }, 'order'],
  'order=desc on Server-Sent Events': ['?order=desc&before=4', { Accept: EVENT_STREAM }, 'order'],
  'another order': ['?order=asc', {}, 'order'],
  'before without order=desc': ['?before=4', {}, 'before'],
  'a malformed position in before': ['?order=desc&before=x', {}, 'before'],
  'a position in before that is beyond the end': [`?order=desc&before=${sequenceAt(18)}`, {}, 'before'],
  'a limit of 0': ['?limit=0', {}, 'limit'],
  'a limit above 1000': ['?limit=1001', {}, 'limit'],
  'a limit on a stream': ['?limit=5', { Accept: LINES }, 'limit'],
  'follow=true on a page': ['?follow=true', {}, 'follow'],
  'follow=false on a stream': ['?follow=false', { Accept: LINES }, 'follow'],
  'a span that ends before it begins': ['?from=2030-05-02T07:00:00Z&to=2030-05-02T06:00:00Z', {}, 'to'],
  'an unknown type': ['?type=SutCreated&type=SutEaten', {}, 'type'],
  'a malformed id': ['?sut_id=a%2Fb&user_id=', {}, 'sut_id', 'user_id'],
  'a repeated parameter': ['?sut_id=a&sut_id=b', {}, 'sut_id'],
}
for (const [what, [query, headers, ...where]] of Object.entries(wrong)) {
  test(`${what} is refused by name`, async (t) => {
    const answer = await ask(query, headers)
    t.deepEqual(
      [refusalOf(answer).slice(0, 2), refusalOf(answer).slice(2).toSorted()],
      [[422, 'invalid'], where.toSorted()],
    )
    t.deepEqual(faultsOf(answer), [])
  })
}

test('the Accept header selects pages, lines or Server-Sent Events, and a 406 names all three', async (t) => {
  const chosen: Readonly<Record<string, string>> = {
    '*/*': 'application/json',
    'application/*': 'application/json',
    'application/problem+json': 'application/json',
    'application/x-ndjson;q=0.9, application/json;q=0.8': LINES,
    'text/event-stream;q=0.1, application/x-ndjson;q=0.2': LINES,
    'text/html, text/*;q=0.5': `${EVENT_STREAM}; charset=utf-8`,
  }
  for (const [accept, mediaType] of Object.entries(chosen)) {
    const head = await service.as('audrey').request('HEAD', '/api/events', { Accept: accept })
    t.deepEqual([head.status, head.headers['content-type']], [200, mediaType], accept)
    t.regex(String(head.headers.vary), /^Accept\b/)
    t.is(head.headers['berth-position'], sequenceAt(16))
  }
  for (const accept of ['text/html', 'application/json;q=0']) {
    const refused = await ask('', { Accept: accept })
    t.deepEqual(refusalOf(refused), [406, 'not_acceptable'])
    for (const mediaType of ['application/json', LINES, EVENT_STREAM]) t.true(refused.text.includes(mediaType))
  }
  // Another test may have a stream open now.
  const isNobody = async () => /^berth_feed_subscribers 0$/m.test((await service.as('admin').get('/metrics')).text)
  await until('nobody is subscribed', isNobody, 5_000)
})

test('Last-Event-ID overrides the position in the URL, which is that of the first request', async (t) => {
  const headers = { 'Last-Event-ID': sequenceAt(13) }
  const stream = await openStream(service.port, `?after=${sequenceAt(2)}`, { headers })
  const { messages, retry } = await stream.until((so) => eventsIn(so).length > 0)
  t.is(messages[0]?.position, sequenceAt(14))
  t.true(retry !== undefined && retry >= 1_000 && retry < 3_100)
  stream.close()
  t.is((await pageAt(`?after=${sequenceAt(2)}`)).events[0]?.sequence, sequenceAt(3))
})

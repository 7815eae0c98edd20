import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import type { ClosedSession, OpenedSession } from '../../../src/domain/session/decide.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import type { SessionQuery } from '../../../src/read-models/lists/sessions.ts'
import { idOf, metadata, reservationCreated, sutCreated, sutUpdated, wall } from '../../domain/builders.ts'
import { aDirectory } from '../../event-store/sqlite/subject.ts'
import { rounds } from '../../thorough.ts'
import { fill } from '../fill.ts'
import { makeNumbers, sutId, userId } from './many-reservations.ts'

const [SUTS, USERS] = [20, 30]
const FIRST = Date.parse('2030-01-01T00:00:00Z')
const HOUR = 3_600_000
const PART = { limit: 50, offset: 0 }

/** A log of SUTs, reservations and sessions, some of which stay open. */
const manyEvents = (sessions: number): readonly Recorded[] => {
  const number = makeNumbers(3)
  const events: Event[] = []
  for (let n = 0; n < SUTS; n++) events.push({ ...sutCreated({ _id: sutId(n) }) })
  let open: OpenedSession[] = []
  const close = (session: OpenedSession): void => {
    open = open.filter((other) => other !== session)
    const closed_at = formatMilliseconds(Date.parse(session.opened_at) + number(number(9) === 0 ? 30 * HOUR : HOUR))
    const end = { closed_at, connections: 1 + number(5), bytes_to_sut: number(99), bytes_from_sut: number(99) }
    events.push({ type: 'SessionClosed', data: { ...session, ...end, cause: 'client' } })
  }
  for (let n = 0; n < sessions; n++) {
    const sut = number(SUTS)
    const [sut_id, user_id] = [sutId(sut), userId(number(2) === 0 ? 0 : number(USERS))]
    if (number(3) === 0) {
      const made = reservationCreated(idOf(20_000_000 + n), wall('06:00'), wall('07:00'), user_id)
      events.push({ ...made, data: { ...made.data, sut_id } } as Event)
    }
    if (number(9) === 0)
      events.push({ ...sutUpdated({ os: `os ${n}` }), data: { _id: sut_id, os: `os ${n}` } } as Event)
    const ids = { _id: idOf(40_000_000 + n), reservation_id: idOf(30_000_000 + Math.floor(n / 3)), sut_id, user_id }
    const opened_at = formatMilliseconds(FIRST + n * 60_000 + number(HOUR))
    const session = { ...ids, instance: '0123456789abcdef', opened_at }
    events.push({ type: 'SessionOpened', data: session })
    open.push(session)
    if (open.length > 40) close(open[number(open.length)] as OpenedSession)
  }
  return events.map((event, n) => {
    const common = { id: `event ${n}`, stream: 'story', revision: n, storePosition: n }
    return { ...common, ...event, metadata: metadata(formatMilliseconds(FIRST)) } as Recorded
  })
}

const given = async (t: ExecutionContext, sessions: number) => {
  const path = join(await aDirectory(t), 'views.db')
  const events = manyEvents(sessions)
  const file = openViewsFile(path)
  t.teardown(file.close)
  fill(file, events, { isStaged: (n) => n % 70 === 0, isCommitted: (n) => n % 140 === 0 })
  return { events, file }
}

/** The sessions of a log by id, newest first, as they ended. */
const sessionsIn = (events: readonly Recorded[]): readonly (OpenedSession & Partial<ClosedSession>)[] => {
  const sessions = new Map<string, OpenedSession & Partial<ClosedSession>>()
  for (const { type, data } of events) {
    if (type === 'SessionOpened' || type === 'SessionClosed') sessions.set(data._id, data)
  }
  return [...sessions.values()].reverse()
}

const fits =
  ({ sut_id, user_id, reservation_id, closesAfter, opensBefore, isOpen }: Partial<SessionQuery>) =>
  (session: OpenedSession & Partial<ClosedSession>): boolean =>
    (sut_id === undefined || session.sut_id === sut_id) &&
    (user_id === undefined || session.user_id === user_id) &&
    (reservation_id === undefined || session.reservation_id === reservation_id) &&
    (opensBefore === undefined || Date.parse(session.opened_at) < opensBefore) &&
    (closesAfter === undefined || session.closed_at === undefined || Date.parse(session.closed_at) > closesAfter) &&
    (isOpen !== true || session.closed_at === undefined)

const MIDDLE = FIRST + 60 * HOUR
const ofOne = [{}, { sut_id: sutId(7) }, { user_id: userId(0) }, { sut_id: sutId(3), user_id: userId(0) }]
const spans = [
  {},
  { closesAfter: MIDDLE },
  { opensBefore: MIDDLE },
  { closesAfter: MIDDLE, opensBefore: MIDDLE + HOUR },
  { closesAfter: MIDDLE, opensBefore: MIDDLE + 1 },
  { closesAfter: FIRST - HOUR, opensBefore: FIRST + 9_999 * HOUR },
]
const QUERIES: readonly Partial<SessionQuery>[] = [
  ...ofOne.flatMap((one) => spans.map((span) => ({ ...one, ...span }))),
  ...spans.map((span) => ({ isOpen: true, ...span })),
  { isOpen: true, sut_id: sutId(7) },
  { isOpen: true, user_id: userId(0) },
  { reservation_id: idOf(30_000_007) },
  { reservation_id: idOf(30_000_007), isOpen: true },
  { reservation_id: idOf(30_000_007), user_id: userId(0), closesAfter: FIRST },
  { sut_id: 'nothing' },
  { reservation_id: 'nothing' },
]

test('lists of sessions show what a search through all of them finds, page by page', async (t) => {
  const { events, file } = await given(t, rounds(1_000, 3_000))
  const all = sessionsIn(events)
  for (const query of QUERIES) {
    const expected = all.filter(fits(query)).map(({ _id }) => _id)
    const name = JSON.stringify(query)
    for (const offset of [0, 37, expected.length]) {
      const { documents, count } = file.lists.sessions({ ...PART, offset, ...query })
      t.is(count, expected.length, name)
      const ids = documents.map((document) => (JSON.parse(document) as OpenedSession)._id)
      t.deepEqual(ids, expected.slice(offset, offset + PART.limit), name)
    }
    const last = expected[PART.limit - 1]
    if (last === undefined) continue
    const createdBefore = file.newest('session', last)?.created
    const { documents } = file.lists.sessions({ ...PART, createdBefore, ...query })
    const ids = documents.map((document) => (JSON.parse(document) as OpenedSession)._id)
    t.deepEqual(ids, expected.slice(PART.limit, 2 * PART.limit), `${name} after an entry`)
  }
})

test('the history of a SUT has its own events, and those of its reservations and sessions, in pages', async (t) => {
  const { events, file } = await given(t, rounds(300, 1_000))
  const { history } = file.lists
  for (let sut = 0; sut < SUTS; sut++) {
    const id = sutId(sut)
    const expected = [...events.entries()].flatMap(([position, { data }]) =>
      ('sut_id' in data && data.sut_id === id) || ('_id' in data && data._id === id) ? [position] : [],
    )
    const count = expected.length
    const read = (query: object) => history({ of: 'sut', id, offset: 0, limit: 1e9, ...query })
    const page = (query: object) => read(query)?.entries.map((entry) => entry.position)
    t.is(read({ offset: 3, limit: 7 })?.count, count)
    t.deepEqual(page({ offset: 3, limit: 7 }), expected.slice(3, 10) as never)
    const middle = Math.floor(count / 2)
    t.deepEqual(page({ after: expected[middle] }), expected.slice(middle + 1) as never)
    t.is(page({ after: (expected[middle] ?? 0) + 0.5 }), undefined)
    t.deepEqual(page({ after: 'latest' }), [])
    t.deepEqual(page({ from: FIRST }), expected as never)
    t.deepEqual(page({ to: FIRST }), [])
  }
})

import test from 'ava'
import type { DataOf, Event } from '../../../src/domain/event.ts'
import { lostEnd, type OpenedSession, type SessionEnd, sessionDecider } from '../../../src/domain/session/decide.ts'
import { alice, idOf, SUT_ID } from '../builders.ts'
import { at, records, stories } from '../given-when-then.ts'

const { given } = stories(sessionDecider)
const [HERE, THERE] = ['0123456789abcdef', 'fedcba9876543210']

const session = (n: number, more: Partial<OpenedSession> = {}): OpenedSession => ({
  ...{ _id: idOf(n), reservation_id: idOf(100), sut_id: SUT_ID, user_id: alice, instance: HERE },
  ...{ opened_at: '2030-05-02T06:00:00.000Z', ...more },
})
const END: SessionEnd = {
  ...{ closed_at: '2030-05-02T06:10:00.000Z', connections: 3, bytes_to_sut: 10, bytes_from_sut: 20, cause: 'client' },
}
const opened = (data: OpenedSession): Event => ({ type: 'SessionOpened', data })
const closed = (of: OpenedSession, end: Partial<DataOf<'SessionClosed'>> = {}): Event => ({
  type: 'SessionClosed',
  data: { ...of, ...END, ...end },
})
const record = (of: OpenedSession, end?: SessionEnd) => ({ type: 'RecordSession', session: of, end }) as const
const close = (of: OpenedSession, end = END) => ({ type: 'CloseSession', _id: of._id, end }) as const
const FIRST = session(1)

test('a session is opened and closed once', (t) => {
  t.deepEqual(given().when(record(FIRST), '06:00'), records(opened(FIRST)))
  const open = given(at('06:00', opened(FIRST)))
  t.deepEqual(open.when(record(FIRST), '06:01'), records(), 'an opening whose answer was lost')
  t.deepEqual(open.when(close(FIRST), '06:10'), records(closed(FIRST)))
  t.deepEqual(open.when(record(FIRST, END), '06:10'), records(closed(FIRST)))
  const over = given(at('06:00', opened(FIRST)), at('06:10', closed(FIRST)))
  t.deepEqual(over.when(close(FIRST), '06:11'), records())
  t.deepEqual(over.when(record(FIRST, END), '06:11'), records())
  t.deepEqual(over.when(record(FIRST), '06:11'), records())
})

test('a session that is over before it could be recorded is recorded in one append', (t) => {
  t.deepEqual(given().when(record(FIRST, END), '07:00'), records(opened(FIRST), closed(FIRST)))
})

test('a session that another instance closed stays closed as it is', (t) => {
  const lost = closed(FIRST, lostEnd(FIRST))
  const gone = given(
    at('06:00', opened(FIRST)),
    at('07:00', lost),
    at('07:00', opened(session(2, { instance: THERE }))),
  )
  t.deepEqual(gone.when(close(FIRST), '07:01'), records())
  t.deepEqual(gone.when(record(FIRST, END), '07:01'), records())
})

test('sessions of one reservation at two instances are two', (t) => {
  const there = session(2, { instance: THERE })
  const open = given(at('06:00', opened(FIRST)))
  t.deepEqual(open.when(record(there), '06:00'), records(opened(there)))
})

test('a session that its own instance had left open is closed as lost by the next one', (t) => {
  const next = session(2, { opened_at: '2030-05-02T06:30:00.000Z' })
  const open = given(at('06:00', opened(FIRST)))
  const lost = {
    closed_at: FIRST.opened_at,
    connections: 1,
    bytes_to_sut: 0,
    bytes_from_sut: 0,
    cause: 'lost',
  } as const
  t.deepEqual(open.when(record(next), '06:30'), records(closed(FIRST, lost), opened(next)))
  const other = session(2, { reservation_id: idOf(101) })
  t.deepEqual(open.when(record(other), '06:30'), records(opened(other)), 'one of another reservation is left alone')
})

test('a session does not end before it began, whatever the clock did', (t) => {
  const back = { ...END, closed_at: '2030-05-02T05:00:00.000Z' }
  const open = given(at('06:00', opened(FIRST)))
  t.deepEqual(open.when(close(FIRST, back), '06:00'), records(closed(FIRST, { closed_at: FIRST.opened_at })))
})

test('a state remembers a limited number of instances', (t) => {
  const many = Array.from({ length: 200 }, (_, n) => {
    const one = session(n, { instance: n.toString(16).padStart(16, '0') })
    return [at('06:00', opened(one)), at('06:01', closed(one))]
  })
  const { state } = given(...many.flat(), at('06:02', opened(session(900))))
  t.is(Object.keys(state.last).length, 64)
  t.deepEqual(Object.keys(state.open), [idOf(900)])
})

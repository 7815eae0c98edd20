import test from 'ava'
import { alice, idOf, LISTEN_PORT, metadata, SUT_ID } from '../../domain/builders.ts'
import type { Row } from '../log-rows.ts'
import { openScheduleBook } from './schedule-book.ts'

/** Tests the checks of starts and ends: a correct log, and each fault. */

const DAY = '2030-05-02T'
const ID = idOf(1)

const row = (time: string, type: Row['type'], data: object): Row =>
  ({ type, data: { _id: ID, ...data }, metadata: metadata(`${DAY}${time}.000Z`) }) as Row

const created = row('06:00:05', 'ReservationCreated', {
  ...{ sut_id: SUT_ID, user_id: alice, listen_port: LISTEN_PORT },
  ...{ start_time: `${DAY}06:00:00+00:00`, end_time: `${DAY}06:15:00+00:00` },
})
const started = row('06:00:06', 'ReservationStarted', { due: `${DAY}06:00:05.000Z` })
const extended = row('06:10:00', 'ReservationExtended', { end_time: `${DAY}06:30:00+00:00` })
const ended = row('06:30:01', 'ReservationEnded', { due: `${DAY}06:30:00.000Z` })
const released = row('06:12:00', 'ReservationReleased', { end_time: `${DAY}06:12:00+00:00` })
const right: readonly Row[] = [created, started, extended, ended]

const bookOf = (rows: readonly Row[]) => {
  const book = openScheduleBook()
  book.take(rows)
  return book
}
const at = (time: string): number => Date.parse(`${DAY}${time}Z`)

test('a correct log has no faults, and nothing is missing', (t) => {
  const book = bookOf(right)
  t.deepEqual(book.faults(), [])
  t.deepEqual(book.missing(at('07:00:00')), [])
  t.deepEqual(book.counts(), { reservations: 1, starts: 1, ends: 1, late: 2 })
  t.deepEqual(bookOf([created, started, released]).missing(at('07:00:00')), [])
})

test('what is due and not recorded is missing from then on', (t) => {
  t.deepEqual(bookOf([created]).missing(at('06:00:04')), [])
  t.regex(bookOf([created]).missing(at('06:00:05')).join(), /^the start of \S+ is missing$/)
  t.deepEqual(bookOf([created, started, extended]).missing(at('06:29:59')), [])
  t.regex(bookOf([created, started, extended]).missing(at('06:30:00')).join(), /^the end of \S+ is missing$/)
})

test('a reservation runs from its creation to its end, unless it is given back', (t) => {
  const run = [at('06:00:05'), at('06:29:59')] as const
  t.deepEqual(bookOf(right).running(...run), [LISTEN_PORT])
  t.deepEqual(bookOf(right).running(at('06:00:04'), run[1]), [])
  t.deepEqual(bookOf(right).running(run[0], at('06:30:00')), [])
  t.deepEqual(bookOf([created, started, released]).running(at('06:01:00'), at('06:02:00')), [])
  t.deepEqual(bookOf(right).used(at('06:00:00'), at('06:00:06')), [LISTEN_PORT])
  t.deepEqual(bookOf(right).used(at('06:30:00'), at('06:31:00')), [])
})

const FAULTS: Readonly<Record<string, readonly [readonly Row[], RegExp]>> = {
  'a second start': [[created, started, started], /started 2 times/],
  'a second end': [[...right, ended], /ended 2 times/],
  'a start that was due at another time': [
    [created, row('06:00:06', 'ReservationStarted', { due: `${DAY}06:00:00.000Z` })],
    /the start of \S+ was due .*06:00:00.000Z, not .*06:00:05.000Z/,
  ],
  'an end before the extended one': [
    [created, started, extended, row('06:15:00', 'ReservationEnded', { due: `${DAY}06:15:00.000Z` })],
    /the end of \S+ was due/,
  ],
  'an end that is recorded too early': [
    [created, started, row('06:14:59', 'ReservationEnded', { due: `${DAY}06:15:00.000Z` })],
    /recorded before it was due/,
  ],
  'an end without a start': [[created, extended, ended], /recorded before the start/],
  'a start after a release': [[created, released, started], /after the reservation was given back/],
  'a start of nothing': [[started], /of no reservation/],
}

for (const [fault, [rows, message]] of Object.entries(FAULTS)) {
  test(`${fault} is reported`, (t) => {
    t.regex(bookOf(rows).faults().join('; '), message)
  })
}

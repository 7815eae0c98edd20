import test from 'ava'
import type { Answer } from '../client.ts'
import { idOf, type Running, start, tidyingLater } from '../harness.ts'
import { aReservation, createSut, NOW, reserve } from '../requests.ts'
import { faultsOf, refusalOf } from './problems.ts'
import '../documents/fit-answers.ts'

/** Invalid windows. None of the requests changes anything, so they share a service. */

const later = tidyingLater()
let service: Running
let sut: string

test.before(async () => {
  service = await start(later, { now: NOW })
  sut = await createSut(service.as('admin'))
})
test.after.always(later.tidy)

const window = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00Z`,
  end_time: `2030-05-02T${end}:00Z`,
})

type Ask = () => Promise<Answer>
const book = (more: Readonly<Record<string, unknown>>): Ask => {
  return () => reserve(service.as('alice'), aReservation(sut, more))
}
const bookWithin = (window: Readonly<Record<string, unknown>>): Ask => {
  return () => reserve(service.as('alice'), { user_id: idOf('alice'), sut_id: sut, ...window })
}

const rows: Readonly<Record<string, readonly [ask: Ask, ...refusal: unknown[]]>> = {
  'a reservation without a window': [bookWithin({}), 422, 'window_required', '#/start_time', '#/end_time'],
  'a start without an end': [bookWithin({ start_time: '2030-05-02T06:00:00Z' }), 422, 'window_required', '#/end_time'],
  'a length without a start': [bookWithin({ duration: 900 }), 422, 'window_required', '#/start_in'],
  'both forms of window': [book({ start_in: 0, duration: 900 }), 422, 'window_ambiguous', '#/start_in', '#/duration'],
  'a mix of both forms': [
    bookWithin({ start_time: '2030-05-02T06:00:00Z', duration: 900 }),
    422,
    'window_ambiguous',
    '#/duration',
  ],
  'an empty window': [book(window('07:00', '07:00')), 422, 'window_empty', '#/end_time'],
  'a window that ends before it starts': [book(window('07:00', '06:00')), 422, 'window_empty', '#/end_time'],
  'a window that is over': [book(window('05:15', '05:58')), 422, 'window_over', '#/end_time'],
  'a window that begins in the past': [book(window('05:44', '07:00')), 422, 'window_in_the_past', '#/start_time'],
  'a window of more than seven days': [
    bookWithin({ start_in: 0, duration: 7 * 86_400 + 1 }),
    422,
    'window_too_long',
    '#/duration',
  ],
  'a window more than 366 days ahead': [
    bookWithin({ start_in: 366 * 86_400 + 1, duration: 900 }),
    422,
    'window_too_far',
    '#/start_in',
  ],
  'a relative window without whole numbers of seconds': [
    bookWithin({ start_in: 0.5, duration: '900' }),
    422,
    'invalid',
    '#/start_in',
    '#/duration',
  ],
}

for (const [what, [ask, ...refusal]] of Object.entries(rows)) {
  test(`${what} is refused: ${refusal.join(' ')}`, async (t) => {
    const answer = await ask()
    t.deepEqual(refusalOf(answer), refusal)
    t.deepEqual(faultsOf(answer), [])
  })
}

const INVALID_TIMES: Readonly<Record<string, RegExp>> = {
  '2030-05-02': /date without a time/,
  '2030-05-02T06:00:00': /must have a UTC offset/,
  '2030-05-02T06:00:00 02:00': /%2B/,
  '2030-05-02 06:00:00Z': /RFC 3339/,
  '2030-05-02T06:00:00Z[Europe/Berlin]': /RFC 3339/,
  '2030-05-02T24:00:00Z': /RFC 3339/,
  '2030-02-30T06:00:00Z': /is not an existing date/,
  '2030-06-30T23:59:60Z': /leap second/,
  '2030-05-02T06:00:00+14:01': /within 14:00/,
  '2030-05-02T06:00:00.1234567890Z': /RFC 3339/,
  '1906696800': /RFC 3339/,
}

for (const [text, reason] of Object.entries(INVALID_TIMES)) {
  test(`the time ${text} is refused with the reason`, async (t) => {
    const answer = await book({ start_time: text })()
    t.deepEqual(refusalOf(answer), [422, 'invalid', '#/start_time'])
    t.regex(String(answer.json.detail), reason)
    t.deepEqual(faultsOf(answer), [])
  })
}

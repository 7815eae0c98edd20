import test from 'ava'
import type { Metadata } from '../../../src/domain/event.ts'
import { alice, idOf, LISTEN_PORT, metadata, SUT_ID, sutValues } from '../../domain/builders.ts'
import type { Row } from '../log-rows.ts'
import { type Attempt, problemsOfAnswers, problemsOfLog } from './truth.ts'

/** Tests the checks of the crash tests: a consistent log and answers, and each inconsistency. */

const KEY = `${'k'.repeat(22)}.${'r'.repeat(22)}`

type Event = Pick<Row, 'type' | 'data'> & { readonly key?: string }

const row = (position: number, stream: string, revision: number, previous: number | null, event: Event): Row => {
  const more: Partial<Metadata> = event.key === undefined ? {} : { key: event.key }
  return {
    type: event.type,
    data: event.data,
    position,
    previous,
    stream,
    revision,
    id: `event-${position}`,
    metadata: metadata('2030-05-02T06:00:00.000Z', more),
    isSealed: true,
  } as Row
}

const reserved = (n: number, from: string, to: string) => ({
  _id: idOf(n),
  sut_id: SUT_ID,
  user_id: alice,
  start_time: `2030-05-02T${from}:00+00:00`,
  end_time: `2030-05-02T${to}:00+00:00`,
  listen_port: LISTEN_PORT,
})

const SUT = `sut-${SUT_ID}`
const rows: readonly Row[] = [
  row(0, 'listenPorts', 0, null, { type: 'ListenPortAssigned', data: { listen_port: LISTEN_PORT, sut_id: SUT_ID } }),
  row(1, SUT, 0, null, { type: 'SutCreated', data: { _id: SUT_ID, ...sutValues(), listen_port: LISTEN_PORT } }),
  row(2, SUT, 1, 1, { type: 'ReservationCreated', data: reserved(1, '08:00', '08:15'), key: KEY }),
  row(3, SUT, 2, 2, { type: 'ReservationCreated', data: reserved(2, '08:15', '08:30') }),
  row(4, SUT, 3, 3, { type: 'SutUpdated', data: { _id: SUT_ID, description: 'changed' } }),
]

const changed = (position: number, change: object): readonly Row[] =>
  rows.map((row) => (row.position === position ? ({ ...row, ...change } as Row) : row))
const followedBy = (stream: string, revision: number, previous: number, event: Event): readonly Row[] => [
  ...rows,
  row(5, stream, revision, previous, event),
]

const tampered: Readonly<Record<string, readonly [readonly Row[], RegExp]>> = {
  'an event is missing': [rows.filter(({ position }) => position !== 3), /position 4 is where 3 should be/],
  'a revision is skipped': [changed(4, { revision: 4 }), /continues with revision 4 at 4/],
  'a chain points to another event': [changed(4, { previous: 2 }), /the chain of .* is broken at 4/],
  'an event was altered': [changed(3, { isSealed: false }), /the hash at 3/],
  'an event id is repeated': [changed(4, { id: 'event-3' }), /event-3 is in the log twice/],
  'a reservation is created twice': [changed(3, { data: reserved(1, '09:00', '09:15') }), /0001 is created twice/],
  'two reservations overlap': [changed(3, { data: reserved(2, '08:00', '08:30') }), /overlap/],
  'a retry is recorded again': [
    followedBy(SUT, 4, 4, { type: 'ReservationCreated', data: reserved(3, '10:00', '10:15'), key: KEY }),
    /an idempotency key is recorded twice/,
  ],
  'a port is assigned twice': [
    followedBy('listenPorts', 1, 0, {
      type: 'ListenPortAssigned',
      data: { listen_port: LISTEN_PORT, sut_id: idOf(9) },
    }),
    /port 20017 is assigned twice/,
  ],
}

const { listen_port: _port, _id: _reservation, ...requested } = reserved(1, '08:00', '08:15')
const reserve = (status: number, answered: object, body: Attempt['body'] = requested): Attempt => ({
  kind: 'reserve',
  path: '/api/sut_reservation/create',
  body,
  key: undefined,
  answer: { status, headers: {}, text: JSON.stringify(answered), json: { ...answered } },
})
const update = (description: string): Attempt => ({
  ...reserve(200, { _id: SUT_ID, description }, { description }),
  kind: 'update',
})
const refused = (n: number, from: string, to: string): Attempt =>
  reserve(409, { code: 'reservation_conflict', conflicts: [reserved(n, from, to)] })

const consistent: readonly Attempt[] = [
  reserve(201, reserved(1, '08:00', '08:15')),
  refused(1, '08:00', '08:15'),
  update('changed'),
  { kind: 'reserve', path: '', body: {}, key: undefined },
]

const untrue: Readonly<Record<string, readonly [Attempt, RegExp]>> = {
  'an acknowledged reservation is missing': [reserve(201, reserved(7, '08:00', '08:15')), /0 times in the log/],
  'an acknowledged update is missing': [update('lost'), /0 times in the log: SutUpdated .* lost/],
  'an answer has another window': [reserve(201, reserved(1, '08:00', '09:00')), /has another end_time/],
  'a refusal names a missing reservation': [refused(7, '08:00', '08:15'), /0007, which is not in the log/],
  'a refusal names a reservation that does not overlap': [refused(2, '08:15', '08:30'), /which does not overlap/],
  'an answer is an unexpected error': [reserve(500, {}), /answered 500/],
}

test('a log and answers that agree have no problems', (t) => {
  t.deepEqual(problemsOfLog(rows), [])
  t.deepEqual(problemsOfAnswers(consistent, rows), [])
})

for (const [how, [log, expected]] of Object.entries(tampered)) {
  test(`the checks report when ${how}`, (t) => t.regex(problemsOfLog(log).join('; '), expected))
}

for (const [how, [attempt, expected]] of Object.entries(untrue)) {
  test(`the checks report when ${how}`, (t) =>
    t.regex(problemsOfAnswers([...consistent, attempt], rows).join('; '), expected))
}

const failed = (code: string, instance: string): Attempt => reserve(503, { code, instance })

test('while writes fail, an unknown outcome is allowed, but denying a recorded write is not', (t) => {
  const id = rows[2]?.metadata.request_id as string
  t.deepEqual(problemsOfAnswers([failed('outcome_unknown', id), failed('store_full', 'another')], rows, true), [])
  for (const code of ['store_full', 'unavailable']) {
    t.regex(problemsOfAnswers([failed(code, id)], rows, true).join(), /was answered \w+, but is in the log/)
  }
  t.regex(problemsOfAnswers([failed('clock_behind', 'another')], rows, true).join(), /was answered/)
  t.regex(problemsOfAnswers([failed('outcome_unknown', id)], rows).join(), /was answered 503/)
})

test('the checks report when an acknowledged write is in the log twice', (t) => {
  const twice = changed(3, { data: reserved(1, '08:00', '08:15') })
  t.regex(problemsOfAnswers(consistent, twice).join('; '), /acknowledged, but 2 times in the log/)
})

import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'

/** Shows behaviour/time-and-windows.md: the documented windows, and both sides of every limit. */

const stage = async (t: ExecutionContext, now: string, environment: Readonly<Record<string, string>> = {}) => {
  const service = await start(t, { now, environment })
  const sut_id = await createSut(service.as('admin'))
  const ask = (window: object): Promise<Answer> =>
    reserve(service.as('alice'), { user_id: idOf('alice'), sut_id, ...window })
  return { ask }
}

const at = (time: string): string => `2030-05-02T${time}+00:00`
const explicit = (start: string, end: string) => ({ start_time: at(start), end_time: at(end) })

/** Any time: before, at the start of, and in the window. */
const ANY = [
  '2029-12-31T23:59:59.999Z',
  '2030-05-02T05:45:00.000Z',
  '2030-05-02T06:00:00.000Z',
  '2030-05-02T06:14:59.999Z',
]

const TABLE: readonly (readonly [now: readonly string[], requested: object, start: string, end: string])[] = [
  [[NOW], explicit('06:00:00', '06:14:59'), '06:00:00', '06:15:00'],
  [ANY, explicit('06:00:00', '06:15:00'), '06:00:00', '06:15:00'],
  [ANY, explicit('06:00:00', '06:15:01'), '06:00:00', '06:30:00'],
  [ANY, explicit('06:07:30', '06:20:00'), '06:00:00', '06:30:00'],
  [['2030-05-02T06:02:51.400Z'], { start_in: 0, duration: 600 }, '06:00:00', '06:15:00'],
  [['2030-05-02T05:52:17.861Z'], { start_in: 0, duration: 462 }, '05:45:00', '06:00:00'],
  [['2030-05-02T05:52:17.861Z'], { start_in: 0, duration: 600 }, '05:45:00', '06:15:00'],
  [['2030-05-02T05:58:00.000Z'], { start_in: 3600, duration: 900 }, '06:45:00', '07:15:00'],
]

for (const [times, requested, begin, end] of TABLE) {
  for (const now of times) {
    test(`at ${now} a request for ${Object.values(requested).join(' ')} gets the window ${begin} to ${end}`, async (t) => {
      const { ask } = await stage(t, now)
      const answer = await ask(requested)
      t.is(answer.status, 201)
      t.deepEqual([answer.json.start_time, answer.json.end_time], [at(begin), at(end)])
    })
  }
}

const DAY = 86_400

/** A value at the limit is accepted, and one just beyond it is refused. NOW is 05:58:11.400. */
const SIDES: Readonly<
  Record<string, readonly [taken: object, beyond: object, code: string, pointer: string, environment?: object]>
> = {
  'an end after the start': [
    { start_time: at('07:00:00'), end_time: at('07:00:00.000000001') },
    explicit('07:00:00', '07:00:00'),
    'window_empty',
    '#/end_time',
  ],
  'an end after now': [
    explicit('05:45:00', '05:58:11.400000001'),
    explicit('05:45:00', '05:58:11.4'),
    'window_over',
    '#/end_time',
  ],
  'a requested length of 7 days': [
    { start_time: '2030-05-03T06:01:00Z', end_time: '2030-05-10T06:01:00Z' },
    { start_time: '2030-05-03T06:01:00Z', end_time: '2030-05-10T06:01:00.000000001Z' },
    'window_too_long',
    '#/end_time',
  ],
  'a relative length of 7 days': [
    { start_in: 0, duration: 7 * DAY },
    { start_in: 0, duration: 7 * DAY + 1 },
    'window_too_long',
    '#/duration',
  ],
  'a configured maximum length': [
    { start_in: 60, duration: 7200 },
    { start_in: 60, duration: 7201 },
    'window_too_long',
    '#/duration',
    { BERTH_WINDOW_MAX: 'PT2H' },
  ],
  'a start in 366 days': [
    { start_in: 366 * DAY, duration: 900 },
    { start_in: 366 * DAY + 1, duration: 900 },
    'window_too_far',
    '#/start_in',
  ],
  'an absolute start in 366 days': [
    { start_time: '2031-05-03T05:58:11.4Z', end_time: '2031-05-03T06:30:00Z' },
    { start_time: '2031-05-03T05:58:11.400000001Z', end_time: '2031-05-03T06:30:00Z' },
    'window_too_far',
    '#/start_time',
  ],
  'a configured horizon': [
    { start_in: DAY, duration: 7200 },
    { start_in: DAY + 1, duration: 7200 },
    'window_too_far',
    '#/start_in',
    { BERTH_HORIZON: 'P1D' },
  ],
  'a start in the current quarter-hour': [
    explicit('05:45:00', '06:00:00'),
    explicit('05:44:59.999999999', '06:00:00'),
    'window_in_the_past',
    '#/start_time',
  ],
  'a duration of a second': [{ start_in: 0, duration: 1 }, { start_in: 0, duration: 0 }, 'invalid', '#/duration'],
  'an immediate start': [{ start_in: 0, duration: 900 }, { start_in: -1, duration: 900 }, 'invalid', '#/start_in'],
  'a duration in whole seconds': [
    { start_in: 0, duration: 60 },
    { start_in: 0, duration: 60.5 },
    'invalid',
    '#/duration',
  ],
  'a start in whole seconds': [
    { start_in: 60, duration: 60 },
    { start_in: 0.5, duration: 60 },
    'invalid',
    '#/start_in',
  ],
}

for (const [what, [taken, beyond, code, pointer, environment]] of Object.entries(SIDES)) {
  test(`${what} is accepted, and a value just beyond is refused: ${code}`, async (t) => {
    const { ask } = await stage(t, NOW, { ...environment })
    const refused = await ask(beyond)
    t.deepEqual(refusalOf(refused), [422, code, pointer])
    t.deepEqual(faultsOf(refused), [])
    t.is((await ask(taken)).status, 201)
  })
}

test('a window entirely in the past is only window_over, even in the current quarter-hour', async (t) => {
  const { ask } = await stage(t, NOW)
  const past = [explicit('05:46:00', '05:50:00'), explicit('01:00:00', '02:00:00')]
  for (const window of [...past, { start_time: '1999-01-01T00:00:00Z', end_time: '2000-01-01T00:00:00Z' }]) {
    t.deepEqual(refusalOf(await ask(window)), [422, 'window_over', '#/end_time'])
  }
})

test('half of a window form is window_required, and a mix of both forms window_ambiguous', async (t) => {
  const { ask } = await stage(t, NOW)
  const all: Readonly<Record<string, unknown>> = { ...explicit('06:00:00', '07:00:00'), start_in: 60, duration: 900 }
  const names = Object.keys(all)
  for (let chosen = 0; chosen < 2 ** names.length; chosen++) {
    const present = names.filter((_, i) => chosen & (1 << i))
    const isMixed = present.some((name) => name.endsWith('time')) && present.some((name) => !name.endsWith('time'))
    if (!isMixed && present.length === 2) continue
    const answer = await ask(Object.fromEntries(present.map((name) => [name, all[name]])))
    t.deepEqual(
      [answer.status, answer.json.code],
      [422, isMixed ? 'window_ambiguous' : 'window_required'],
      `${present}`,
    )
  }
  t.is((await ask({ start_in: 7200, duration: 900 })).status, 201)
})

test('both ends of next_available are in the offset of start_time', async (t) => {
  const { ask } = await stage(t, NOW)
  await ask({ start_time: '2030-05-02T11:45:00+05:45', end_time: '2030-05-02T01:00:00-06:00' })
  const refused = await ask({ start_time: '2030-05-02T08:10:00+02:00', end_time: '2030-05-02T02:20:00-04:00' })
  t.is(refused.json.code, 'reservation_conflict')
  const next = { start_time: '2030-05-02T09:00:00+02:00', end_time: '2030-05-02T09:30:00+02:00' }
  t.deepEqual(refused.json.next_available, next)
  const relative = await ask({ start_in: 600, duration: 60 })
  t.deepEqual(relative.json.next_available, explicit('07:00:00', '07:15:00'))
  t.like(refused.json.conflicts, [{ start_time: '2030-05-02T11:45:00+05:45', end_time: '2030-05-02T01:00:00-06:00' }])
})

test('next_available may begin on the horizon, but not a quarter-hour after it', async (t) => {
  for (const [horizon, next_available] of [
    ['PT2H', explicit('08:00:00', '08:30:00')],
    ['PT1H45M', null],
  ] as const) {
    const service = await start(t, { now: at('06:00:00'), environment: { BERTH_HORIZON: horizon } })
    const sut_id = await createSut(service.as('admin'))
    await reserved(service.as('alice'), aReservation(sut_id, explicit('07:00:00', '08:00:00')))
    const refused = await reserve(service.as('alice'), aReservation(sut_id, explicit('07:30:00', '07:50:00')))
    t.is(refused.json.code, 'reservation_conflict')
    t.deepEqual(refused.json.next_available, next_available)
  }
})

/** Both sides of each limit of a window. */

import test from 'ava'
import { during, lab, said } from '../lab.ts'
import { createSut } from '../requests.ts'

const ends = (start_time: string, end_time: string) => ({ start_time, end_time })

const DAY = 86_400

/** A value at the limit is accepted, and one just beyond it is refused. NOW is 05:58:11.400. */
const SIDES: readonly (readonly [what: string, taken: object, beyond: object, refusal: string])[] = [
  [
    'an end after the start',
    during('07:00:00-07:00:00.000000001'),
    during('07:00:00-07:00:00'),
    'window_empty #/end_time',
  ],
  ['an end after now', during('05:45:00-05:58:11.400000001'), during('05:45:00-05:58:11.4'), 'window_over #/end_time'],
  [
    'a requested length of 7 days',
    ends('2030-05-03T06:01:00Z', '2030-05-10T06:01:00Z'),
    ends('2030-05-03T06:01:00Z', '2030-05-10T06:01:00.000000001Z'),
    'window_too_long #/end_time',
  ],
  [
    'a relative length of 7 days',
    { start_in: 0, duration: 7 * DAY },
    { start_in: 0, duration: 7 * DAY + 1 },
    'window_too_long #/duration',
  ],
  [
    'a start in 366 days',
    { start_in: 366 * DAY, duration: 900 },
    { start_in: 366 * DAY + 1, duration: 900 },
    'window_too_far #/start_in',
  ],
  [
    'an absolute start in 366 days',
    ends('2031-05-03T05:58:11.4Z', '2031-05-03T06:30:00Z'),
    ends('2031-05-03T05:58:11.400000001Z', '2031-05-03T06:30:00Z'),
    'window_too_far #/start_time',
  ],
  [
    'a start in the current quarter-hour',
    during('05:45:00-06:00:00'),
    during('05:44:59.999999999-06:00:00'),
    'window_in_the_past #/start_time',
  ],
  ['a duration of a second', { start_in: 0, duration: 1 }, { start_in: 0, duration: 0 }, 'invalid #/duration'],
  ['an immediate start', { start_in: 0, duration: 900 }, { start_in: -1, duration: 900 }, 'invalid #/start_in'],
  ['whole seconds', { start_in: 0, duration: 60 }, { start_in: 0.5, duration: 60.5 }, 'invalid #/start_in #/duration'],
]

test('what is at a limit is accepted, and what is just beyond it refused', async (t) => {
  const { book, as } = await lab(t)
  for (const [what, taken, beyond, refusal] of SIDES) {
    const sut_id = await createSut(as('admin'))
    t.is(said(await book('alice', beyond, { sut_id })), `422 ${refusal}`, what)
    t.is(said(await book('alice', taken, { sut_id })), '201', what)
  }
  t.is(said(await book('alice', '07:00-06:00')), '422 window_empty #/end_time', 'an end before the start')
  for (const past of ['05:46-05:50', '01:00-02:00'])
    t.is(said(await book('alice', past)), '422 window_over #/end_time', 'also in the current quarter-hour')
})

test('half of a window form is window_required, and a mix of both forms window_ambiguous', async (t) => {
  const { ask, sut } = await lab(t)
  const all: Readonly<Record<string, unknown>> = { ...during('06:00-07:00'), start_in: 60, duration: 900 }
  const [ENDS, LENGTH] = [
    ['start_time', 'end_time'],
    ['start_in', 'duration'],
  ]
  const names = Object.keys(all)
  for (let chosen = 0; chosen < 2 ** names.length; chosen++) {
    const present = names.filter((_, i) => chosen & (1 << i))
    const [ends, length] = [ENDS, LENGTH].map((form = []) => form.filter((name) => present.includes(name)))
    const isMixed = ends?.length !== 0 && length?.length !== 0
    if (!isMixed && present.length === 2) continue
    const form = length?.length === 0 ? ENDS : LENGTH
    const named = isMixed ? length : form?.filter((name) => !present.includes(name))
    const body = { sut_id: sut, ...Object.fromEntries(present.map((name) => [name, all[name]])) }
    const refusal = `422 ${isMixed ? 'window_ambiguous' : 'window_required'} ${named?.map((name) => `#/${name}`).join(' ')}`
    t.is(said(await ask('alice', 'POST /api/sut_reservation/create', body)), refusal, `${present}`)
  }
})

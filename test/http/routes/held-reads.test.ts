/** Who held a SUT at a moment, and within a span. */

import test from 'ava'
import { idOf } from '../harness.ts'
import { asks, type Lab, lab } from '../lab.ts'
import { createSut } from '../requests.ts'

const day = (time: string): string => `2030-05-02T${time}`

const holders = async ({ ask }: Pick<Lab, 'ask'>, query: string, who = 'alice'): Promise<readonly unknown[]> => {
  const { status, json } = await ask(who, `GET /api/sut_reservation?${query}`)
  if (status !== 200) return [status]
  return (json.sut_reservations as readonly { _id: string }[]).map(({ _id }) => _id)
}

test('a SUT is held from the start or the creation, whichever is later, to the real end', async (t) => {
  const service = await lab(t)
  const { as, ask, book, clock, sut } = service
  const late = String((await book('alice', '05:45-06:15')).json._id)
  const ahead = String((await book('bob', '06:15-07:00')).json._id)
  const cancelled = await book('bob', '06:15-07:00', { sut_id: await createSut(as('admin')) })
  await ask('bob', `POST ${cancelled.headers.location}/cancel`)
  clock.set(day('06:10:20.500Z'))
  await ask('alice', `POST /api/sut_reservation/${late}/cancel`)
  clock.set(day('09:00:00.000Z'))
  for (const [time, ...held] of [
    ['05:58:11.399999999Z'],
    ['05:58:11.4Z', late],
    ['06:10:20.999999999Z', late],
    ['06:10:21Z'],
    ['06:14:59.999999999Z'],
    ['06:15:00Z', ahead],
    ['06:59:59.999Z', ahead],
    ['07:00:00Z'],
    ['09:00:00Z'],
  ] as const) {
    const at = `held_at=${day(time)}`
    t.deepEqual(await holders(service, at), held, time)
    t.deepEqual(await holders(service, `${at}&sut_id=${sut}`), held, time)
    t.deepEqual(await holders(service, `${at}&user_id=${idOf('bob')}`), held[0] === ahead ? [ahead] : [])
  }
  for (const [from, to, ...held] of [
    ['05:45:00Z', '05:58:11.4Z'],
    ['05:45:00Z', '05:58:11.400000001Z', late],
    ['06:10:20.999Z', '06:15:00Z', late],
    ['06:10:21Z', '06:15:00Z'],
    ['06:10:21Z', '06:15:00.000000001Z', ahead],
    ['05:00:00Z', '09:00:00Z', ahead, late],
  ] as const)
    t.deepEqual(await holders(service, `held_from=${day(from)}&held_to=${day(to)}`), held, `${from} ${to}`)
  // By window alone, alice had it before she asked for it.
  t.deepEqual(await holders(service, `from=${day('05:50:00Z')}&to=${day('05:50:01Z')}`), [late])
})

test('as of a past moment, what was held by then is listed as it was known then', async (t) => {
  const service = await lab(t)
  const { ask, book, clock } = service
  const { json, headers } = await book('admin', '05:45-06:30')
  clock.set(day('06:05:00.000Z'))
  await ask('admin', `POST ${headers.location}/cancel`)
  clock.set(day('06:20:00.000Z'))
  const made = String(headers['berth-position'])
  for (const [held_at, as_of, ...held] of [
    ['06:10:00Z', made, json._id],
    ['06:10:00Z', day('06:20:00Z')],
    ['06:00:00Z', day('06:00:00Z'), json._id],
    ['05:58:11.3Z', made],
  ] as const)
    t.deepEqual(await holders(service, `held_at=${day(held_at)}&as_of=${as_of}`, 'audrey'), held)
  const later = `GET /api/sut_reservation?held_at=${day('06:00:01Z')}&as_of=${day('06:00:00Z')}`
  await asks(t, service, [['audrey', later, '422 invalid held_at']])
})

test('times in the future, half spans and other selections of time beside held times are refused', async (t) => {
  const service = await lab(t)
  const [at, from, to] = ['05:00:00Z', '04:00:00Z', '05:30:00Z'].map(day)
  await asks(
    t,
    service,
    [
      [`held_at=${day('05:58:11.400000001Z')}`, 'held_at'],
      [`held_from=${from}&held_to=${day('05:58:12Z')}`, 'held_to'],
      [`held_from=${from}`, 'held_from'],
      [`held_to=${to}`, 'held_to'],
      [`held_from=${to}&held_to=${to}`, 'held_to'],
      [`held_at=${at}&held_from=${from}&held_to=${to}`, 'held_from held_to'],
      [`held_at=${at}&from=${from}`, 'from'],
      [`held_at=${at}&to=${to}&current=true`, 'to current'],
      [`held_from=${from}&held_to=${to}&from=${from}`, 'from'],
      ['held_at=2030-05-02', 'held_at'],
    ].map(([query, names]) => ['alice', `GET /api/sut_reservation?${query}`, `422 invalid ${names}`] as const),
  )
  t.deepEqual(await holders(service, `held_at=${day('05:58:11.4Z')}`), [])
})

import test from 'ava'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

/** Who held a SUT at a moment, and within a span. */

const day = (time: string): string => `2030-05-02T${time}`

const holders = async (client: Client, query: string): Promise<readonly unknown[]> => {
  const { status, json } = await client.get(`/api/sut_reservation?${query}`)
  if (status !== 200) return [status]
  return (json.sut_reservations as readonly { _id: string }[]).map(({ _id }) => _id)
}

test('a SUT is held from the start or the creation, whichever is later, to the real end', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice, bob] = ['admin', 'alice', 'bob'].map((name) => service.as(name)) as [Client, Client, Client]
  const [one, other] = [await createSut(admin), await createSut(admin)]
  const make = async (by: Client, sut: string, from: string, to: string, name: string) => {
    const window = { start_time: day(`${from}:00Z`), end_time: day(`${to}:00Z`), user_id: idOf(name) }
    return String((await reserved(by, aReservation(sut, window))).json._id)
  }
  const late = await make(alice, one, '05:45', '06:15', 'alice')
  const ahead = await make(bob, one, '06:15', '07:00', 'bob')
  const cancelled = await make(bob, other, '06:15', '07:00', 'bob')
  await bob.post(`/api/sut_reservation/${cancelled}/cancel`, {})
  service.clock.set(day('06:10:20.500Z'))
  await alice.post(`/api/sut_reservation/${late}/cancel`, {})
  service.clock.set(day('09:00:00.000Z'))
  for (const [time, held] of [
    ['05:58:11.399999999Z', []],
    ['05:58:11.4Z', [late]],
    ['06:10:20.999999999Z', [late]],
    ['06:10:21Z', []],
    ['06:14:59.999999999Z', []],
    ['06:15:00Z', [ahead]],
    ['06:59:59.999Z', [ahead]],
    ['07:00:00Z', []],
    ['09:00:00Z', []],
  ] as const) {
    t.deepEqual(await holders(alice, `held_at=${day(time)}&sut_id=${one}`), held, time)
    t.deepEqual(await holders(alice, `held_at=${day(time)}`), held, time)
    t.deepEqual(
      await holders(alice, `held_at=${day(time)}&user_id=${idOf('bob')}`),
      held.includes(ahead as never) ? [ahead] : [],
    )
  }
  for (const [from, to, held] of [
    ['05:45:00Z', '05:58:11.4Z', []],
    ['05:45:00Z', '05:58:11.400000001Z', [late]],
    ['06:10:20.999Z', '06:15:00Z', [late]],
    ['06:10:21Z', '06:15:00Z', []],
    ['06:10:21Z', '06:15:00.000000001Z', [ahead]],
    ['05:00:00Z', '09:00:00Z', [ahead, late]],
  ] as const) {
    t.deepEqual(await holders(alice, `held_from=${day(from)}&held_to=${day(to)}`), held, `${from} ${to}`)
  }
  // By window alone, alice had it before she asked for it.
  t.deepEqual(await holders(alice, `from=${day('05:50:00Z')}&to=${day('05:50:01Z')}`), [late])
})

test('as of a past moment, what was held by then is listed as it was known then', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, audrey] = [service.as('admin'), service.as('audrey')]
  const sut = await createSut(admin)
  const { json, headers } = await reserved(
    admin,
    aReservation(sut, { start_time: day('05:45:00Z'), end_time: day('06:30:00Z') }),
  )
  service.clock.set(day('06:05:00.000Z'))
  await admin.post(`/api/sut_reservation/${json._id}/cancel`, {})
  service.clock.set(day('06:20:00.000Z'))
  const asOf = (held_at: string, as_of: string) => holders(audrey, `held_at=${day(held_at)}&as_of=${as_of}`)
  const made = String(headers['berth-position'])
  t.deepEqual(await asOf('06:10:00Z', made), [json._id])
  t.deepEqual(await asOf('06:10:00Z', day('06:20:00Z')), [])
  t.deepEqual(await asOf('06:00:00Z', day('06:00:00Z')), [json._id])
  t.deepEqual(await asOf('05:58:11.3Z', made), [])
  const later = await audrey.get(`/api/sut_reservation?held_at=${day('06:00:01Z')}&as_of=${day('06:00:00Z')}`)
  t.deepEqual([refusalOf(later), faultsOf(later)], [[422, 'invalid', 'held_at'], []])
})

test('times in the future, half spans and other selections of time beside held times are refused', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const [at, from, to] = ['05:00:00Z', '04:00:00Z', '05:30:00Z'].map(day)
  for (const [query, ...names] of [
    [`held_at=${day('05:58:11.400000001Z')}`, 'held_at'],
    [`held_from=${from}&held_to=${day('05:58:12Z')}`, 'held_to'],
    [`held_from=${from}`, 'held_from'],
    [`held_to=${to}`, 'held_to'],
    [`held_from=${to}&held_to=${to}`, 'held_to'],
    [`held_at=${at}&held_from=${from}&held_to=${to}`, 'held_from', 'held_to'],
    [`held_at=${at}&from=${from}`, 'from'],
    [`held_at=${at}&to=${to}&current=true`, 'to', 'current'],
    [`held_from=${from}&held_to=${to}&from=${from}`, 'from'],
    ['held_at=2030-05-02', 'held_at'],
  ] as const) {
    const answer = await alice.get(`/api/sut_reservation?${query}`)
    t.deepEqual([refusalOf(answer), faultsOf(answer)], [[422, 'invalid', ...names], []], query)
  }
  t.deepEqual(await holders(alice, `held_at=${day('05:58:11.4Z')}`), [])
})

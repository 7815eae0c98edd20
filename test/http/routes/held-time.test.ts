import test, { type ExecutionContext } from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { aReservation, createSut, reserve, reserved } from '../requests.ts'

/** Shows behaviour/time-and-windows.md: the final held windows never overlap. */

type Window = { readonly start_time: string; readonly end_time: string }

const at = (time: string): string => `2030-05-02T${time}Z`
const times = ({ start_time, end_time }: Window): string => `${start_time.slice(11, 19)}-${end_time.slice(11, 19)}`

const fromNow = (sut: string, duration: number) => ({ user_id: idOf('alice'), sut_id: sut, start_in: 0, duration })
const cancel = (client: Client, _id: unknown) => client.request('POST', `/api/sut_reservation/${_id}/cancel`)
const freeOf = async (client: Client, sut: string, query = ''): Promise<readonly string[]> => {
  const answer = await client.get(`/api/sut/${sut}/availability?to=${at('20:00:00')}${query}`)
  return (answer.json.free as readonly Window[]).map(times)
}

/** A reservation from 18:15 was released at 18:40:02, and another begins at 19:00. */
const released = async (t: ExecutionContext) => {
  const service = await start(t, { now: at('18:20:00.000') })
  const alice = service.as('alice')
  const sut = await createSut(service.as('admin'))
  const first = await reserved(alice, aReservation(sut, { start_time: at('18:15:00'), end_time: at('19:00:00') }))
  await reserved(alice, aReservation(sut, { start_time: at('19:00:00'), end_time: at('19:30:00') }))
  service.clock.set(at('18:40:01.300'))
  t.is((await cancel(alice, first.json._id)).json.end_time, '2030-05-02T18:40:02+00:00')
  service.clock.set(at('18:41:00.000'))
  return { service, alice, sut }
}

test('after a release at 18:40:02, a create at 18:41 for now starts at 18:40:02 and ends on the grid', async (t) => {
  const { alice, sut } = await released(t)
  const made = await reserve(alice, fromNow(sut, 600))
  t.deepEqual([made.status, times(made.json as unknown as Window)], [201, '18:40:02-19:00:00'])
  t.is((await alice.get(String(made.headers.location))).text, made.text)
  const conflict = (await reserve(alice, fromNow(sut, 60))).json as { conflicts: Window[]; next_available: Window }
  t.deepEqual(conflict.conflicts.map(times), ['18:40:02-19:00:00'])
  t.is(times(conflict.next_available), '19:30:00-19:45:00')
})

test('a reservation that starts after a release can be extended up to the next, and released', async (t) => {
  const { service, alice, sut } = await released(t)
  const { _id } = (await reserved(alice, fromNow(sut, 60))).json
  const refused = await alice.post(`/api/sut_reservation/${_id}/extend`, { duration: 3000 })
  t.deepEqual([refused.status, refused.json.extendable_until], [409, '2030-05-02T19:00:00+00:00'])
  const longer = await alice.post(`/api/sut_reservation/${_id}/extend`, { end_time: at('19:00:00') })
  t.is(times(longer.json as unknown as Window), '18:40:02-19:00:00')
  service.clock.set(at('18:43:10.100'))
  t.is(times((await cancel(alice, _id)).json as unknown as Window), '18:40:02-18:43:11')
  t.is(times((await reserved(alice, fromNow(sut, 60))).json as unknown as Window), '18:43:11-18:45:00')
})

test('availability lists the rest of the quarter-hour after a release if it is long enough', async (t) => {
  const { service, alice, sut } = await released(t)
  t.deepEqual(await freeOf(alice, sut), ['18:40:02-19:00:00', '19:30:00-20:00:00'])
  t.deepEqual(await freeOf(alice, sut, '&duration=1198'), ['18:40:02-19:00:00', '19:30:00-20:00:00'])
  t.deepEqual(await freeOf(alice, sut, '&duration=1199'), ['19:30:00-20:00:00'])
  const made = await reserved(alice, fromNow(sut, 600))
  t.deepEqual(await freeOf(alice, sut), ['19:30:00-20:00:00'])
  service.clock.set(at('18:58:59.900'))
  await cancel(alice, made.json._id)
  t.deepEqual(await freeOf(alice, sut, '&duration=1'), ['18:59:00-19:00:00', '19:30:00-20:00:00'])
  service.clock.set(at('19:00:00.000'))
  t.deepEqual(await freeOf(alice, sut, '&duration=1'), ['19:30:00-20:00:00'])
})

test('a create for the first listed free window gets exactly that window', async (t) => {
  const { alice, sut } = await released(t)
  const [first] = await freeOf(alice, sut)
  t.is(times((await reserved(alice, fromNow(sut, 19 * 60))).json as unknown as Window), String(first))
})

test('a log with windows after releases is sound after a restart', async (t) => {
  const { service, alice, sut } = await released(t)
  await reserved(alice, fromNow(sut, 60))
  await service.stop()
  const again = await start(t, { data: service.data, now: at('18:42:00.000') })
  const [{ _id }] = (await again.as('alice').get('/api/sut_reservation?current=true')).json.sut_reservations as [
    { _id: string },
  ]
  await cancel(again.as('alice'), _id)
  const next = await reserved(again.as('alice'), fromNow(sut, 60))
  t.is(times(next.json as unknown as Window), '18:42:00-18:45:00')
  const { code, out } = await type(['verify'], { BERTH_DATA: service.data, ...sharedEnvironment(service.data) })
  t.is(code, 0, out)
})

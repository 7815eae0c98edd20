import test from 'ava'
import type { Answer, Client } from '../../client.ts'
import { start } from '../../harness.ts'
import { aReservation, conflictOf, createSut, NOW, reserve, reserved } from '../../requests.ts'
import '../../documents/fit-answers.ts'

/** The time that a SUT needs between two reservations. */

const at = (time: string): string => `2030-05-02T${time}:00+00:00`
const during = (from: string, to: string) => ({ start_time: at(from), end_time: at(to) })

const book = (client: Client, sut: string, from: string, to: string): Promise<Answer> =>
  reserve(client, aReservation(sut, during(from, to)))

const settingsOf = async (client: Client, sut: string): Promise<unknown> =>
  (await client.get(`/api/sut/${sut}?include=settings`)).json.settings

/** `06:00 to 07:00` for each free window. */
const freeIn = async (client: Client, sut: string, from: string, to: string): Promise<readonly string[]> => {
  const span = `from=${at(from)}&to=${at(to)}`.replaceAll('+', '%2B')
  const { free } = (await client.get(`/api/sut/${sut}/availability?${span}`)).json as {
    readonly free: readonly Readonly<Record<'start_time' | 'end_time', string>>[]
  }
  return free.map(({ start_time, end_time }) => `${start_time.slice(11, 16)} to ${end_time.slice(11, 16)}`)
}

const isFree = async (client: Client, sut: string, from: string, to: string): Promise<boolean> => {
  const span = `free_from=${at(from)}&free_to=${at(to)}`.replaceAll('+', '%2B')
  const answer = await client.get(`/api/sut?${span}`)
  if (answer.status !== 200) throw new Error(answer.text)
  const { suts } = answer.json as { readonly suts: readonly { readonly _id: string }[] }
  return suts.some(({ _id }) => _id === sut)
}

test('a turnaround is rounded up to quarter-hours, recorded as a change of the SUT, and in no SUT as it is read', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut = await createSut(admin)
  t.deepEqual(await settingsOf(alice, sut), { release_unused_after: 0, turnaround: 0 })
  for (const [sent, shown, etag] of [
    [1, 900, '"1"'],
    [900, 900, '"1"'],
    [901, 1_800, '"2"'],
    [86_400, 86_400, '"3"'],
    [0, 0, '"4"'],
    [0, 0, '"4"'],
  ] as const) {
    const updated = await admin.post(`/api/sut/${sut}/update`, { turnaround: sent })
    t.deepEqual([updated.status, updated.headers.etag], [200, etag], `${sent}`)
    t.false('turnaround' in updated.json)
    t.deepEqual(await settingsOf(alice, sut), { release_unused_after: 0, turnaround: shown })
  }
  const { events } = (await admin.get(`/api/sut/${sut}/history`)).json as {
    readonly events: readonly { data: object }[]
  }
  t.deepEqual(events.at(-1)?.data, { _id: sut, turnaround: 0 })
})

test('what is booked, refused, offered and called free keeps the turnaround, also after a restart', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'), { turnaround: 1_800 })
  const first = await reserved(service.as('alice'), aReservation(sut, during('08:00', '09:00')))
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  const alice = again.as('alice')
  const refused = await book(alice, sut, '09:15', '09:45')
  t.is(refused.status, 409)
  t.deepEqual(refused.json.conflicts, [{ ...conflictOf(first, 'alice'), turnaround: true }])
  t.deepEqual([refused.json.free_until, refused.json.next_available], [null, during('09:30', '10:00')])
  t.is((await book(alice, sut, '07:00', '07:45')).json.free_until, at('07:30'))
  t.deepEqual(await freeIn(alice, sut, '06:00', '12:00'), ['06:00 to 07:30', '09:30 to 12:00'])
  // Also where only the turnaround reaches into the span.
  t.deepEqual(await freeIn(alice, sut, '09:00', '09:45'), ['09:30 to 09:45'])
  t.deepEqual(await freeIn(alice, sut, '07:15', '08:00'), ['07:15 to 07:30'])
  t.deepEqual([await isFree(alice, sut, '09:15', '10:00'), await isFree(alice, sut, '07:00', '07:45')], [false, false])
  t.deepEqual([await isFree(alice, sut, '09:30', '10:00'), await isFree(alice, sut, '07:00', '07:30')], [true, true])
  for (const free of [during('09:30', '12:00'), during('06:00', '07:30')])
    t.is((await reserve(alice, aReservation(sut, free))).status, 201)
})

test('exactly what availability lists and the lists of free SUTs name can be booked whole', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const [sut, other] = [await createSut(admin, { turnaround: 900 }), await createSut(admin)]
  for (const each of [sut, other]) {
    await book(alice, each, '06:00', '07:00')
    await book(alice, each, '08:00', '08:30')
  }
  service.clock.set('2030-05-02T06:20:02Z')
  const mine = (await alice.get(`/api/sut_reservation?sut_id=${sut}&current=true`)).json as {
    readonly sut_reservations: readonly { readonly _id: string }[]
  }
  await alice.request('POST', `/api/sut_reservation/${mine.sut_reservations[0]?._id}/cancel`)
  t.deepEqual(await freeIn(alice, sut, '06:00', '10:00'), ['06:45 to 07:45', '08:45 to 10:00'])
  for (const quarter of ['06:30', '06:45', '07:30', '07:45', '08:30', '08:45']) {
    const to = new Date(Date.parse(at(quarter)) + 900_000).toISOString().slice(11, 16)
    const isListed = await isFree(alice, sut, quarter, to)
    const dry = await book(alice, sut, quarter, to)
    t.is(isListed, dry.status === 201, quarter)
    if (dry.status === 201) await alice.request('POST', `/api/sut_reservation/${dry.json._id}/cancel`)
  }
  t.deepEqual(await freeIn(alice, other, '06:00', '10:00'), ['07:00 to 08:00', '08:30 to 10:00'])
})

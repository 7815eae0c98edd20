import test from 'ava'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

/** Names and states that reads of reservations add on request. */

const day = (time: string): string => `2030-05-02T${time}Z`

const make = async (by: Client, sut: string, from: string, to: string, holder = 'alice'): Promise<string> => {
  const window = { start_time: day(`${from}:00`), end_time: day(`${to}:00`), user_id: idOf(holder) }
  return String((await reserved(by, aReservation(sut, window))).json._id)
}

type Row = Readonly<Record<string, unknown>>

/** What a list adds to each reservation, by id; with `one`, what single reads add. */
const added = async (client: Client, query: string, one: readonly string[] = []): Promise<Row> => {
  const lists = one.length === 0 ? [await client.get(`/api/sut_reservation?${query}`)] : []
  const rows = lists.flatMap(({ json }) => json.sut_reservations as readonly Row[])
  for (const id of one) rows.push((await client.get(`/api/sut_reservation/${id}?${query}`)).json as Row)
  return Object.fromEntries(
    rows.map(({ _id, user_name, sut_name, state, planned_end_time }) => {
      const members = Object.entries({ user_name, sut_name, state, planned_end_time })
      return [_id, members.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ')]
    }),
  )
}

test('include=names adds the names that the holder and the SUT have now', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, audrey] = [service.as('admin'), service.as('audrey')]
  const sut = await createSut(admin, { name: 'before' })
  const one = await make(admin, sut, '06:00', '06:15')
  const other = await make(admin, sut, '06:15', '06:30', 'bob')
  const before = await audrey.get(`/api/sut_reservation/${one}`)
  await admin.post(`/api/sut/${sut}/update`, { name: 'after' })
  await admin.post(`/api/user/${idOf('bob')}/update`, { name: 'robert' })
  const expected = { [one]: 'user_name alice, sut_name after', [other]: 'user_name robert, sut_name after' }
  t.deepEqual(await added(audrey, 'include=names'), expected)
  t.deepEqual(await added(audrey, 'include=names', [one, other]), expected)
  t.deepEqual(await added(audrey, `include=names&as_of=${before.headers['berth-position']}`), expected)
})

test('include=state adds what has become of a reservation, and the end it had before a release', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, audrey] = [service.as('admin'), service.as('audrey')]
  const [sut, second] = [await createSut(admin), await createSut(admin)]
  const over = await make(admin, sut, '05:45', '06:00')
  const released = await make(admin, sut, '06:00', '07:00')
  const running = await make(admin, second, '06:00', '07:00')
  const ahead = await make(admin, sut, '07:00', '08:00')
  service.clock.set(day('06:10:00.000'))
  await admin.post(`/api/sut_reservation/${released}/extend`, { end_time: day('06:45:00') })
  const extended = await admin.post(`/api/sut_reservation/${running}/extend`, { end_time: day('07:30:00') })
  await admin.post(`/api/sut_reservation/${released}/cancel`, {})
  service.clock.set(day('06:20:00.000'))
  const end = (time: string) => `planned_end_time 2030-05-02T${time}:00+00:00`
  const expected = {
    [over]: `state over, ${end('06:00')}`,
    [released]: `state released, ${end('07:00')}`,
    [running]: `state running, ${end('07:30')}`,
    [ahead]: `state ahead, ${end('08:00')}`,
  }
  t.deepEqual(await added(audrey, 'include=state'), expected)
  t.deepEqual(await added(audrey, 'include=state&limit=1000'), expected)
  t.deepEqual(await added(audrey, 'include=state', Object.keys(expected)), expected)
  const asOf = `include=state&as_of=${extended.headers['berth-position']}`
  const then = { ...expected, [released]: `state running, ${end('07:00')}` }
  t.deepEqual(await added(audrey, asOf), then)
  t.deepEqual(await added(audrey, asOf, Object.keys(then)), then)
  t.deepEqual(await added(audrey, `include=state&as_of=${day('06:20:00')}`), expected)
  t.deepEqual(await added(audrey, 'include=state,names&current=true'), {
    [running]: `user_name alice, sut_name bench 4, state running, ${end('07:30')}`,
  })
})

test('the name of a SUT that is now outside the scope of its holder is not included', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const [inside, moved] = [await createSut(admin, { name: 'inside' }), await createSut(admin, { name: 'moved' })]
  for (const id of [inside, moved]) await admin.post(`/api/sut/${id}/tags`, { team: 'qa1', rack: '4' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa1,rack=4' })
  const [one, other] = [await make(alice, inside, '06:00', '06:15'), await make(alice, moved, '06:00', '06:15')]
  await admin.post(`/api/sut/${moved}/tags`, { rack: '5' })
  const expected = { [one]: 'user_name alice, sut_name inside', [other]: 'user_name alice, sut_name null' }
  t.deepEqual(await added(alice, 'include=names'), expected)
  t.deepEqual(await added(alice, `include=names&user_id=${idOf('alice')}`), expected)
  t.deepEqual(await added(alice, 'include=names', [one, other]), expected)
})

test('include=state,cancelled lists cancelled reservations too, within the scope and filters of others', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, audrey, alice] = [service.as('admin'), service.as('audrey'), service.as('alice')]
  const [sut, other] = [await createSut(admin), await createSut(admin)]
  const stays = await make(admin, sut, '06:00', '07:00')
  const cancelled = await make(admin, sut, '07:00', '08:00')
  const ofBob = await make(admin, other, '08:00', '09:00', 'bob')
  const last = await make(admin, other, '09:00', '10:00')
  const before = await audrey.get(`/api/sut_reservation/${last}`)
  for (const id of [cancelled, ofBob]) await admin.post(`/api/sut_reservation/${id}/cancel`, {})
  service.clock.set(day('08:30:00.000'))
  const list = async (client: Client, query: string) => {
    const { json } = await client.get(`/api/sut_reservation?include=state,cancelled&${query}`)
    const rows = json.sut_reservations as readonly Row[]
    return [json.count, ...rows.map(({ _id, state }) => `${_id} ${state}`)]
  }
  const [kept, gone, gone2] = [`${stays} over`, `${cancelled} cancelled`, `${ofBob} cancelled`]
  t.deepEqual(await list(audrey, ''), [4, `${last} ahead`, gone2, gone, kept])
  t.deepEqual(await list(audrey, 'limit=2&offset=1'), [4, gone2, gone])
  t.deepEqual(await list(audrey, `before=${ofBob}`), [4, gone, kept])
  t.deepEqual(await list(audrey, `user_id=${idOf('bob')}`), [1, gone2])
  t.deepEqual(await list(audrey, `sut_id=${sut}`), [2, gone, kept])
  t.deepEqual(await list(audrey, `from=${day('07:30:00')}&to=${day('08:30:00')}`), [2, gone2, gone])
  // None of them held its SUT.
  t.deepEqual(await list(audrey, 'current=true'), [0])
  t.deepEqual(await list(audrey, `held_from=${day('06:00:00')}&held_to=${day('08:30:00')}`), [1, kept])
  const then = before.headers['berth-position']
  t.deepEqual(await list(audrey, `as_of=${then}&user_id=${idOf('bob')}`), [1, `${ofBob} ahead`])
  t.deepEqual(await list(audrey, `as_of=${day('08:30:00')}`), [4, `${last} ahead`, gone2, gone, kept])
  await admin.post(`/api/sut/${sut}/tags`, { team: 'qa1' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  t.deepEqual(await list(alice, ''), [3, `${last} ahead`, gone, kept])
  t.deepEqual(await list(alice, `user_id=${idOf('bob')}`), [0])
  for (const words of ['cancelled', 'names,cancelled']) {
    t.deepEqual(refusalOf(await audrey.get(`/api/sut_reservation?include=${words}`)), [422, 'invalid', 'include'])
  }
  const one = `/api/sut_reservation/${stays}?include=state,cancelled`
  t.deepEqual(refusalOf(await audrey.get(one)), [422, 'invalid', 'include'])
})

test('what include does not know is refused by name', async (t) => {
  const service = await start(t, { now: NOW })
  const audrey = service.as('audrey')
  const [list, one] = ['/api/sut_reservation', `/api/sut_reservation/${'5'.repeat(24)}`]
  for (const path of [`${list}?include=used`, `${one}?include=names,`, `${one}?include=`]) {
    t.deepEqual(refusalOf(await audrey.get(path)), [422, 'invalid', 'include'], path)
  }
})

import test, { type ExecutionContext } from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { idOf, start } from '../harness.ts'
import { asks, lab, said } from '../lab.ts'

/** Alice's reservation from 06:00 to 07:00 in other UTC offsets, made at 05:58:11.400. */
const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const made = await service.book('alice', {
    start_time: '2030-05-02T08:00:00+02:00',
    end_time: '2030-05-02T02:00:00-05:00',
  })
  const path = String(made.headers.location)
  return { ...service, made, path, cancel: (who = 'alice') => service.ask(who, `POST ${path}/cancel`) }
}

test('a reservation not yet begun is cancelled, and the answer differs only in updated_at', async (t) => {
  const { ask, book, cancel, clock, recorded, made, path, sut } = await stage(t)
  clock.set('2030-05-02T05:59:59.999Z')
  const cancelled = await cancel()
  t.is(cancelled.text, JSON.stringify({ ...made.json, updated_at: '2030-05-02T05:59:59.999Z' }))
  t.deepEqual([cancelled.status, cancelled.headers.etag, cancelled.headers.location], [200, undefined, undefined])
  const data = { _id: made.json._id, sut_id: sut, user_id: idOf('alice') }
  t.deepEqual((await recorded()).at(-1), { type: 'ReservationCancelled', data })
  for (const name of ['admin', 'alice', 'bob', 'audrey']) {
    t.is(said(await ask(name, `GET ${path}`)), '410 reservation_cancelled')
    t.is((await ask(name, 'GET /api/sut_reservation')).json.count, 0)
  }
  t.is((await book('bob', '06:00-07:00')).status, 201)
})

test('a cancellation accepts no body or {}, and nothing else', async (t) => {
  const { ask, book, path } = await stage(t)
  const other = (await book('alice', '07:00-07:15')).headers.location
  await asks(t, { ask }, [
    ['alice', `POST ${path}/cancel`, '422 field_unknown #/why', { why: 'ill' }],
    ['alice', `POST ${path}/cancel`, '422 invalid #', []],
    ['alice', `GET ${path}`, '200'],
    ['alice', `POST ${path}/cancel`, '200', {}],
    ['alice', `POST ${other}/cancel`, '200'],
  ])
})

test('a released reservation ends at the next whole second, in its old offset, and stays listed', async (t) => {
  const { ask, cancel, clock, recorded, made, path, sut } = await stage(t)
  // A window is never empty.
  clock.set('2030-05-02T06:00:00.000Z')
  const released = await cancel()
  const end_time = '2030-05-02T01:00:01-05:00'
  t.is(released.text, JSON.stringify({ ...made.json, updated_at: '2030-05-02T06:00:00.000Z', end_time }))
  const data = { _id: made.json._id, sut_id: sut, user_id: idOf('alice'), end_time }
  t.deepEqual((await recorded()).at(-1), { type: 'ReservationReleased', data })
  t.is((await ask('bob', `GET ${path}`)).text, released.text)
  t.deepEqual((await ask('bob', 'GET /api/sut_reservation')).json.sut_reservations, [released.json])
  t.is((await ask('bob', 'GET /api/sut_reservation?current=true')).json.count, 0)
})

test('what a release frees within a quarter-hour is listed, reserved from that second on, and sound', async (t) => {
  const { ask, book, cancel, clock, data, stop, sut } = await stage(t)
  clock.set('2030-05-02T06:20:30.500Z')
  t.is(said(await book('bob', '06:15-07:00')), '409 reservation_conflict')
  await cancel()
  const freeOf = async (duration: number) => {
    const query = `to=2030-05-02T07:30:00Z&duration=${duration}`
    const { json } = await ask('bob', `GET /api/sut/${sut}/availability?${query}`)
    return (json.free as readonly { start_time: string }[]).map(({ start_time }) => start_time.slice(11, 19))
  }
  await book('alice', '07:00-07:15')
  t.deepEqual(await freeOf(2369), ['06:20:31'])
  t.deepEqual(await freeOf(2370), [])
  const made = await book('bob', { start_in: 0, duration: 600 })
  t.deepEqual([made.json.start_time, made.json.end_time], ['2030-05-02T06:20:31+00:00', '2030-05-02T06:45:00+00:00'])
  await ask('bob', `POST ${made.headers.location}/extend`, { by: 900 })
  await stop()
  const { code, out } = await type(['verify'], { BERTH_DATA: data, ...sharedEnvironment(data) })
  t.is(code, 0, out)
  const again = await start(t, { data, now: '2030-05-02T06:22:00.000Z' })
  const released = await again.as('bob').request('POST', `${made.headers.location}/cancel`)
  t.is(released.json.end_time, '2030-05-02T06:22:00+00:00')
})

test('cancelling a past reservation is 409 reservation_over, from its end on', async (t) => {
  const { ask, cancel, clock, made, path } = await stage(t)
  for (const now of ['2030-05-02T07:00:00.000Z', '2030-05-03T00:00:00Z']) {
    clock.set(now)
    for (const name of ['alice', 'admin']) t.is(said(await cancel(name)), '409 reservation_over')
  }
  t.is((await ask('alice', `GET ${path}`)).text, made.text)
})

for (const [what, now] of [
  ['cancellation', '2030-05-02T05:59:00Z'],
  ['release', '2030-05-02T06:20:30.500Z'],
] as const) {
  test(`a second ${what} is 200 with the reservation and records nothing`, async (t) => {
    const { cancel, clock, recorded } = await stage(t)
    clock.set(now)
    const [first, atOnce] = await Promise.all([cancel(), cancel('admin')])
    t.deepEqual([atOnce.status, atOnce.text], [200, first.text])
    // Also during and after its former window.
    for (const later of ['2030-05-02T06:30:00Z', '2030-05-02T09:00:00Z']) {
      clock.set(later)
      const again = await cancel()
      t.deepEqual([again.status, again.text], [200, first.text])
    }
    t.is((await recorded()).length, 2)
  })
}

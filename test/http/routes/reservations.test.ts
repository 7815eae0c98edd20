import test from 'ava'
import { idOf } from '../harness.ts'
import { during, lab, said } from '../lab.ts'
import { conflictOf, NOW } from '../requests.ts'

test("the answer to a reservation has all the API's fields in order", async (t) => {
  const { book, sut } = await lab(t)
  const answer = await book('alice')
  const _id = String(answer.json._id)
  t.regex(_id, /^717bb1f3[0-9a-f]{16}$/)
  t.is(answer.status, 201)
  t.is(
    answer.text,
    JSON.stringify({
      _id,
      created_at: NOW,
      updated_at: NOW,
      start_time: '2030-05-02T06:00:00+00:00',
      end_time: '2030-05-02T06:15:00+00:00',
      user_id: idOf('alice'),
      sut_id: sut,
      listen_port: 20000,
    }),
  )
  t.is(answer.headers['content-type'], 'application/json')
  t.is(answer.headers.location, `/api/sut_reservation/${_id}`)
  t.is(answer.headers.etag, undefined)
})

test('a reservation without a user_id is for the user who asks', async (t) => {
  const { ask, sut } = await lab(t)
  for (const [name, window] of [
    ['admin', '06:00-06:15'],
    ['alice', '07:00-07:15'],
  ] as const) {
    const { json } = await ask(name, 'POST /api/sut_reservation/create', { sut_id: sut, ...during(window) })
    t.is(json.user_id, idOf(name))
  }
})

test('an overlapping window is refused with the conflicting reservations and the next free window', async (t) => {
  const { book } = await lab(t)
  const conflicting = [await book('alice', '07:00-08:00'), await book('alice', during('10:15-11:15', '+02:00'))]
  const refused = await book('bob', during('03:30-04:40', '-04:00'))
  t.is(said(refused), '409 reservation_conflict')
  const conflicts = conflicting.map((made) => conflictOf(made, 'alice'))
  t.is(JSON.stringify(refused.json.conflicts), JSON.stringify(conflicts))
  t.is(refused.json.free_until, null)
  // 07:30 to 08:45 on the grid is 75 minutes. The first free 75 minutes begin at 09:15, shown in the start's offset.
  t.is(JSON.stringify(refused.json.next_available), JSON.stringify(during('05:15-06:30', '-04:00')))
})

test('the next free window in a refusal, and what is free until the conflict, can be reserved', async (t) => {
  const { book } = await lab(t)
  for (const window of ['06:45-07:00', '07:30-08:00']) t.is((await book('alice', window)).status, 201)
  const { json } = await book('alice', during('08:30-09:10', '+02:00'))
  t.is(json.free_until, '2030-05-02T08:45:00+02:00')
  t.deepEqual(json.next_available, during('10:00-10:45', '+02:00'))
  t.is((await book('alice', json.next_available as object)).status, 201)
  t.is((await book('alice', { ...during('08:30-09:10', '+02:00'), end_time: json.free_until })).status, 201)
})

test('up to a hundred conflicts are listed by start, and next_available is null if nothing is free', async (t) => {
  const environment = { BERTH_HORIZON: 'P1DT2H', BERTH_WINDOW_MAX: 'P3D' }
  const { book } = await lab(t, { now: '2030-05-02T00:00:00Z', environment })
  const quarter = (n: number): string => new Date(Date.UTC(2030, 4, 2) + n * 900_000).toISOString()
  const ends = (from: number, to: number) => ({ start_time: quarter(from), end_time: quarter(to) })
  await Promise.all(Array.from({ length: 105 }, (_, n) => book('alice', ends(104 - n, 105 - n))))
  const refused = await book('alice', ends(0, 105))
  t.is(said(refused), '409 reservation_conflict')
  t.deepEqual(
    (refused.json.conflicts as readonly { start_time: string }[]).map(({ start_time }) => Date.parse(start_time)),
    Array.from({ length: 100 }, (_, n) => Date.parse(quarter(n))),
  )
  // The horizon is 02:00 of the next day, and everything is taken until 02:15.
  t.is(refused.json.next_available, null)
})

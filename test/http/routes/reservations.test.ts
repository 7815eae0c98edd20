import test from 'ava'
import { idOf } from '../harness.ts'
import { during, lab, said } from '../lab.ts'

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

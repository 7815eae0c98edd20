import test, { type ExecutionContext } from 'ava'
import { asks, during, lab } from '../lab.ts'

type Free = readonly { readonly start_time: string; readonly end_time: string }[]

const given = async (t: ExecutionContext, environment: Readonly<Record<string, string>> = {}) => {
  const service = await lab(t, { environment })
  const path = `GET /api/sut/${service.sut}/availability`
  const freeIn = async (query: string): Promise<Free> => {
    const { json, text, status } = await service.ask('alice', path + query)
    if (status !== 200) throw new Error(text)
    return json.free as Free
  }
  /** Free windows on the day of the tests, in UTC. */
  const timesIn = async (query: string) =>
    (await freeIn(query)).map(({ start_time, end_time }) => `${start_time.slice(11, 16)}-${end_time.slice(11, 16)}`)
  return { ...service, path, freeIn, timesIn }
}

const MORNING = '?from=2030-05-02T05:50:00Z&to=2030-05-02T08:00:00Z'

test('free windows between reservations are listed from the current quarter-hour on', async (t) => {
  const { ask, book, path, timesIn } = await given(t)
  t.deepEqual((await ask('alice', path + MORNING)).json, { free: [during('05:45-08:00')], next: null })
  for (const window of ['06:00-06:30', '06:45-07:15']) t.is((await book('alice', window)).status, 201)
  t.deepEqual(await timesIn(MORNING), ['05:45-06:00', '06:30-06:45', '07:15-08:00'])
  t.deepEqual(await timesIn(`${MORNING}&duration=901`), ['07:15-08:00'])
  t.deepEqual(await timesIn(`${MORNING}&duration=2701`), [])
  const all = await timesIn('?from=2029-01-01T00:00:00Z&to=2030-05-02T06:31:00Z&duration=1')
  t.deepEqual(all, ['05:45-06:00', '06:30-06:45'])
})

test('free windows are returned in the requested UTC offset', async (t) => {
  const { freeIn } = await given(t)
  t.deepEqual(await freeIn('?from=2030-05-02T08:00:00%2B02:00&to=2030-05-02T06:30:00-01:00'), [
    during('08:00-09:30', '+02:00'),
  ])
  t.deepEqual(await freeIn('?to=2030-05-02T06:30:00-00:30'), [during('05:15-06:30', '-00:30')])
})

test('no window is free when nothing can be reserved', async (t) => {
  const { ask, path, sut, timesIn } = await given(t, { BERTH_HORIZON: 'PT2H', BERTH_WINDOW_MAX: 'PT1H' })
  // A reservation may start until 07:58:11, which is in the quarter-hour that begins at 07:45.
  t.deepEqual(await timesIn(''), ['05:45-08:00'])
  for (const query of ['from=2030-05-02T09:00:00Z', 'from=9999-12-31T23:59:59-14:00', 'to=2030-05-02T05:30:00Z'])
    t.deepEqual(await timesIn(`?${query}`), [])
  await ask('admin', `POST /api/sut/${sut}/update`, { is_active: false })
  t.deepEqual(await timesIn(''), [])
  await asks(t, { ask }, [
    ['admin', `POST /api/sut/${sut}/retire`, '200'],
    ['alice', path, '410 sut_retired'],
    ['alice', 'GET /api/sut/none/availability', '404 sut_not_found'],
    ['alice', `GET /api/sut/${'0'.repeat(24)}/availability`, '404 sut_not_found'],
  ])
})

import test, { type ExecutionContext } from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { start } from '../harness.ts'
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

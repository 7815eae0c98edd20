import test from 'ava'
import { idOf, start } from '../http/harness.ts'
import { createSut, NOW, reserve } from '../http/requests.ts'
import { run } from '../process/harness.ts'
import { type } from './terminal.ts'

test('removing a user reports the number of its current and future reservations', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await createSut(admin)
  const ids: string[] = []
  const windows = [
    ['06:00', '06:15'],
    ['07:00', '07:15'],
    ['08:00', '08:15'],
    ['09:00', '09:15'],
  ]
  for (const [from, to] of windows) {
    const window = { start_time: `2030-05-02T${from}:00Z`, end_time: `2030-05-02T${to}:00Z` }
    ids.push(String((await reserve(admin, { user_id: idOf('bob'), sut_id: sut, ...window })).json._id))
  }
  await reserve(admin, { user_id: idOf('alice'), sut_id: sut, start_in: 86_400, duration: 900 })
  t.is((await admin.post(`/api/sut_reservation/${ids[1]}/cancel`, {})).status, 200)
  await service.stop()
  // By then the first is over; the second was cancelled.
  const now = () => Date.parse('2030-05-02T07:30:00Z')
  const { code, out } = await type(['user', 'remove', 'bob'], { BERTH_DATA: service.data }, { now })
  t.deepEqual([code, out], [0, `removed bob (${idOf('bob')}); 2 reservations of this user remain\n`])
  const last = await type(['user', 'remove', 'alice'], { BERTH_DATA: service.data }, { now })
  t.is(last.out, `removed alice (${idOf('alice')}); 1 reservation of this user remains\n`)
  const none = await type(['user', 'remove', 'audrey'], { BERTH_DATA: service.data }, { now })
  t.is(none.out, `removed audrey (${idOf('audrey')}); no reservation of this user remains\n`)
})

test('removing a user while the service runs counts reservations made just before', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  for (const start_in of [3600, 7200, 10_800]) {
    t.is((await reserve(admin, { user_id: idOf('bob'), sut_id, start_in, duration: 900 })).status, 201)
  }
  const { out } = await type(['user', 'remove', 'bob'], { BERTH_DATA: service.data }, { now: service.clock.now })
  t.is(out, `removed bob (${idOf('bob')}); 3 reservations of this user remain\n`)
})

test('"user list --json" works while the service runs', async (t) => {
  const service = await start(t)
  const { code, output } = await run(t, { data: service.data, args: ['user', 'list', '--json'] })
  t.is(code, 0)
  const names = (JSON.parse(output).users as { name: string }[]).map(({ name }) => name)
  t.deepEqual(names, ['admin', 'alice', 'bob', 'audrey'])
})

import test from 'ava'
import { start } from '../harness.ts'
import { BODY, drip, open, request } from './dripping.ts'
import { exchange } from './raw-http.ts'

test('with 1,000 idle and 50 dripping connections others are answered, and slow ones cut off', async (t) => {
  // Long enough that all are connected at once on a slow machine.
  const service = await start(t, { timeouts: { headers: 5_000, request: 5_000, checkInterval: 50 } })
  const idle = await Promise.all(Array.from({ length: 1000 }, () => open(service.port)))
  const idleEnded = idle.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)))
  const slow = Array.from({ length: 50 }, (_, i) =>
    i % 2 === 0
      ? drip(service.port, 'GET /api/user/me HTTP/1.1\r\n', 'A: b\r\n')
      : drip(service.port, `${BODY.replace('POST /', 'POST /api/sut/create')}`, ' '),
  )
  for (let i = 0; i < 100; i++) t.is((await service.as('admin').get('/api/user/me')).status, 200)
  const fresh = await Promise.all(Array.from({ length: 20 }, () => exchange(service.port, request('/health/live'))))
  t.deepEqual(new Set(fresh.map((answer) => answer?.status)), new Set([200]))
  t.is(idle.filter((socket) => !socket.readableEnded).length, 1000, 'connected all the time')
  // Without credentials the body is not read: these get 401 and are cut off.
  const answers = await Promise.all(slow)
  t.deepEqual([...new Set(answers.map((answer) => answer?.status))].sort(), [401, 408])
  await Promise.all(idleEnded)
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
  t.deepEqual(
    service.log.filter(({ level }) => level !== 'info'),
    [],
  )
})

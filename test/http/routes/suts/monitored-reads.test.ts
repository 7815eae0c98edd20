import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import type { Answer } from '../../client.ts'
import { start } from '../../harness.ts'
import { createSut, NOW, REFUSING } from '../../requests.ts'
import '../../documents/fit-answers.ts'
import { check, LOCAL, monitor, read, statusOf } from './monitored.ts'

test('lists are filtered by monitoring, now and as of the past', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const online = await createSut(admin, { ...LOCAL, port: sut.port })
  const unknown = await createSut(admin)
  const disabled = await createSut(admin)
  for (const id of [online, unknown]) await monitor(service, id, { enabled: true, interval: 86_400 })
  const { headers } = await read(service, online)
  await check(service, online)
  const list = async (query: string) => {
    const { json } = await admin.get(`/api/sut?${query}`)
    return [json.count, ...(json.suts as { _id: string }[]).map(({ _id }) => _id)]
  }
  t.deepEqual(await list('monitoring=online'), [1, online])
  t.deepEqual(await list('monitoring=unknown'), [1, unknown])
  t.deepEqual(await list('monitoring=disabled'), [1, disabled])
  t.deepEqual(await list('monitoring=offline'), [0])
  const then = `as_of=${headers['berth-position']}`
  t.deepEqual(await list(`monitoring=online&${then}`), [0])
  t.deepEqual(await list(`monitoring=unknown&${then}`), [2, unknown, online])
  t.deepEqual(await list(`monitoring=unknown&sut_type=tcp&${then}`), [1, online])
  t.is((await admin.get('/api/sut?monitoring=Online')).status, 422)
})

test('a SUT as of every position is what was answered then, with its ETag', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(admin, { ...LOCAL, port: sut.port })
  const answers: Answer[] = []
  const keep = async (): Promise<unknown> => answers.push(await read(service, id))
  const step = () => service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
  await monitor(service, id, { enabled: true, interval: 86_400 })
  await keep()
  await check(service, id)
  await keep()
  step()
  await admin.post(`/api/sut/${id}/tags`, { rack: '4' })
  await keep()
  await admin.post(`/api/sut/${id}/update`, { port: REFUSING.port })
  await keep()
  for (let n = 0; n < 3; n++) {
    step()
    await check(service, id)
  }
  await keep()
  await monitor(service, id, { enabled: false })
  await keep()
  t.deepEqual(
    answers.map(({ headers }) => headers.etag),
    ['"1"', '"1.1"', '"2.1"', '"3.1"', '"3.2"', '"4.2"'],
  )
  for (const { headers, text } of answers) {
    const then = await read(service, id, `?as_of=${headers['berth-position']}`)
    t.deepEqual([then.text, then.headers.etag], [text, headers.etag])
  }
})

test('the answer to a write shows no probe that came after it, and a repeated one is the same', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(admin, { ...LOCAL, port: sut.port })
  const key = { 'Idempotency-Key': 'k' }
  const first = await monitor(service, id, { enabled: true }, key)
  await check(service, id)
  const again = await monitor(service, id, { enabled: true }, key)
  t.deepEqual([again.text, again.headers.etag], [first.text, first.headers.etag])
  const already = await monitor(service, id, { enabled: true })
  t.is(statusOf(already), 'Online', 'what records nothing shows the SUT as it is')
  t.is(already.headers.etag, '"1.1"')
  await service.stop()
  rmSync(join(service.data, 'views.db'), { force: true })
  for (const what of ['rebuilt', 'restarted']) {
    const next = await start(t, { data: service.data, now: '2030-05-02T06:30:00Z' })
    const repeated = await monitor(next, id, { enabled: true }, key)
    t.deepEqual([repeated.text, repeated.headers.etag], [first.text, first.headers.etag], what)
    const now = await read(next, id)
    t.deepEqual([now.text, now.headers.etag], [already.text, '"1.1"'], what)
    await next.stop()
  }
})

test('a probe that ends after the SUT was retired or monitoring was disabled changes nothing shown', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t)
  const id = await createSut(admin, { ...LOCAL, sut_type: 'vnc', port: sut.port })
  await monitor(service, id, { enabled: true })
  const checking = check(service, id)
  await sut.accepted()
  await admin.post(`/api/sut/${id}/retire`, {})
  ;(await sut.accepted()).socket.end('something else')
  t.is((await checking).json.cause, 'wrong_greeting')
  t.is(statusOf(await read(service, id)), 'SUT Monitoring Disabled')
  t.is((await admin.get('/api/sut')).json.count, 0)
})

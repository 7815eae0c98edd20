import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import type { Answer } from '../../client.ts'
import { start } from '../../harness.ts'
import { createSut, REFUSING } from '../../requests.ts'
import { monitor, monitoredLab, read, statusOf } from './monitored.ts'

test('lists are filtered by monitoring, now and as of the past', async (t) => {
  const { admin, check, id: online, read, service } = await monitoredLab(t)
  const unknown = await createSut(admin)
  const disabled = await createSut(admin)
  for (const id of [online, unknown]) await monitor(service, id, { enabled: true, interval: 86_400 })
  const { headers } = await read()
  await check()
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
  const { admin, check, checkLater, clock, id, monitor, read, update } = await monitoredLab(t)
  const answers: Answer[] = []
  const keep = async (): Promise<unknown> => answers.push(await read())
  await monitor()
  await keep()
  await check()
  await keep()
  clock.set(new Date(clock.now() + 1_000).toISOString())
  await admin.post(`/api/sut/${id}/tags`, { rack: '4' })
  await keep()
  await update({ port: REFUSING.port })
  await keep()
  for (let n = 0; n < 3; n++) await checkLater()
  await keep()
  await monitor({ enabled: false })
  await keep()
  t.deepEqual(
    answers.map(({ headers }) => headers.etag),
    ['"1"', '"1.1"', '"2.1"', '"3.1"', '"3.2"', '"4.2"'],
  )
  for (const { headers, text } of answers) {
    const then = await read(`?as_of=${headers['berth-position']}`)
    t.deepEqual([then.text, then.headers.etag], [text, headers.etag])
  }
})

test('the answer to a write shows no probe that came after it, and a repeated one is the same', async (t) => {
  const { check, data, id, stop, ...all } = await monitoredLab(t)
  const key = { 'Idempotency-Key': 'k' }
  const first = await all.monitor({}, key)
  await check()
  const again = await all.monitor({}, key)
  t.deepEqual([again.text, again.headers.etag], [first.text, first.headers.etag])
  const already = await all.monitor({})
  t.is(statusOf(already), 'Online', 'what records nothing shows the SUT as it is')
  t.is(already.headers.etag, '"1.1"')
  await stop()
  rmSync(join(data, 'views.db'), { force: true })
  for (const what of ['rebuilt', 'restarted']) {
    const next = await start(t, { data, now: '2030-05-02T06:30:00Z' })
    const repeated = await monitor(next, id, { enabled: true }, key)
    t.deepEqual([repeated.text, repeated.headers.etag], [first.text, first.headers.etag], what)
    const now = await read(next, id)
    t.deepEqual([now.text, now.headers.etag], [already.text, '"1.1"'], what)
    await next.stop()
  }
})

test('a probe that ends after the SUT was retired or monitoring was disabled changes nothing shown', async (t) => {
  const machine = await startSut(t)
  const { admin, check, id, monitor, status } = await monitoredLab(t, { sut: { sut_type: 'vnc', port: machine.port } })
  await monitor({})
  const checking = check()
  await machine.accepted()
  await admin.post(`/api/sut/${id}/retire`, {})
  ;(await machine.accepted()).socket.end('something else')
  t.is((await checking).json.cause, 'wrong_greeting')
  t.is(await status(), 'SUT Monitoring Disabled')
  t.is((await admin.get('/api/sut')).json.count, 0)
})

import test from 'ava'
import { peer, startSut } from '../../gateway/peers.ts'
import { type SutScript, speakAsSut } from '../../gateway/rfb/speakers.ts'
import type { Answer } from '../client.ts'
import { start } from '../harness.ts'
import { createSut, NOW } from '../requests.ts'
import { until } from '../until.ts'
import { filesIn, leaks } from './canary.ts'
import { canary } from './secret-requests.ts'

const SOON = 10_000

test('the password with which Berth probes is in no answer, log line, metric or file', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const password = canary()
  let script: SutScript = { version: '3.8', types: [2], password }
  let spoken = 0
  const sut = await startSut(t, (socket) => {
    speakAsSut(peer(socket), script).then(
      () => spoken++,
      () => spoken++,
    )
  })
  const id = await createSut(admin, { address: '127.0.0.1', port: sut.port, sut_type: 'vnc', password })
  const answers: Answer[] = [await admin.post(`/api/sut/${id}/monitoring`, { enabled: true })]
  const check = async (): Promise<unknown> => {
    service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
    const answer = await admin.post(`/api/sut/${id}/check`, {})
    answers.push(answer)
    return answer.json.cause
  }
  t.is(await check(), null, 'the server took the password')
  script = { ...script, password: 'another' }
  for (let n = 0; n < 3; n++) t.is(await check(), 'password_refused')
  script = { ...script, types: [], reason: `Too many: ${password}` }
  t.is(await check(), 'locked_out')
  await until('the server', async () => spoken === 5, SOON)
  for (const path of [`/api/sut/${id}`, `/api/sut/${id}/history`, '/api/events', '/metrics']) {
    answers.push(await admin.get(path))
  }
  t.deepEqual(
    ((answers.at(-4) as Answer).json.monitoring as { status_description: string }).status_description,
    'SUT is offline: it refused the password',
  )
  const places = [
    ...answers.map(({ text }, n) => ({ name: `answer ${n}`, bytes: Buffer.from(text) })),
    { name: 'the log', bytes: Buffer.from(JSON.stringify(service.log)) },
    ...(await filesIn(service.data)),
  ]
  const first = Buffer.from(password).subarray(0, 8)
  t.deepEqual(leaks({ password: Buffer.from(password), 'what VNC uses of it': first }, places), [])
})

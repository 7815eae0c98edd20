/** The whole service, with SUTs that answer in upper case. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { type Setting, start } from '../http/harness.ts'
import { reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { forwarding, NOW } from './console/stage.ts'
import { startSut } from './peers.ts'
import { nobodyConnected } from './sessions/stage.ts'

const given = async (t: ExecutionContext, environment: Setting['environment'] = {}, setting: Setting = {}) => {
  const sut = await startSut(t, (socket) => {
    socket.on('data', (data) => socket.write(data.toString().toUpperCase()))
    socket.on('end', () => socket.end())
  })
  const stage = await forwarding(t, { port: sut.port, sut_type: 'tcp' }, { environment, ...setting })
  return { t, ...stage, admin: stage.service.as('admin'), port: stage.listenPort, sut_id: stage.sutId }
}
type Stage = Awaited<ReturnType<typeof given>>

/** What comes back for a text. */
const exchange = async (socket: Socket, sent: string): Promise<string> => {
  socket.write(sent)
  return String((await once(socket, 'data'))[0])
}

/** What a client gets back for a text; its error's code if it is refused or reset. */
const ask = async (port: number, sent: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  // It may come before the answer is read.
  socket.on('error', () => undefined)
  try {
    socket.end(sent)
    return await text(socket)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'failed'
  }
}

const becomes = async ({ t, service, port }: Stage, expected: string): Promise<void> => {
  await until(
    `the port gives ${expected}`,
    async () => {
      service.tick()
      return (await ask(port, 'hello')) === expected
    },
    10_000,
  )
  t.is(await ask(port, 'hello'), expected)
}

const reserve = ({ service, sut_id }: Stage, window: object, who = 'alice') =>
  reserved(service.as(who), { user_id: '590780914445534540190000', sut_id, ...window })

test('a running reservation is forwarded to its SUT, both ways, and to nobody once it is released', async (t) => {
  const stage = await given(t)
  t.is(await ask(stage.port, 'hello'), 'ECONNREFUSED')
  const made = await reserve(stage, { start_in: 0, duration: 600 })
  await becomes(stage, 'HELLO')
  const client = connect(stage.port, '127.0.0.1')
  t.is(await exchange(client, 'first'), 'FIRST')
  const reset = once(client, 'error')
  await stage.service.as('alice').request('POST', `${made.headers.location}/cancel`)
  const [error] = await reset
  t.is((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  await becomes(stage, 'ECONNREFUSED')
  await nobodyConnected(stage.service)
  const warned = stage.service.log.filter(({ sentence }) => sentence.includes('whose address others may have'))
  t.is(warned.length, 1, 'loopback is warned of once')
})

test('a port opens at the start and closes at the end, which an extension moves', async (t) => {
  const stage = await given(t)
  const { service } = stage
  const made = await reserve(stage, { start_time: '2030-05-02T06:15:00Z', end_time: '2030-05-02T06:30:00Z' })
  service.tick()
  t.is(await ask(stage.port, 'hello'), 'ECONNREFUSED')
  service.clock.set('2030-05-02T06:15:00.000Z')
  await becomes(stage, 'HELLO')
  t.is((await service.as('alice').post(`${made.headers.location}/extend`, { duration: 1_800 })).status, 200)
  service.clock.set('2030-05-02T06:30:00.000Z')
  await becomes(stage, 'HELLO')
  service.clock.set('2030-05-02T06:45:00.000Z')
  await becomes(stage, 'ECONNREFUSED')
})

test('a reservation made for somebody else can be reached only after its holder has bound it, or where anybody may connect', async (t) => {
  const stage = await given(t)
  const made = await reserve(stage, { start_in: 0, duration: 600 }, 'admin')
  await becomes(stage, 'ECONNRESET')
  const isCounted = async (): Promise<boolean> =>
    /^berth_gateway_refused_total\{reason="not_bound"\} [1-9]/m.test((await stage.admin.get('/metrics')).text)
  await until('the refusal is counted', isCounted, 5_000)
  t.is((await stage.service.as('alice').request('POST', `${made.headers.location}/update`)).status, 200)
  await becomes(stage, 'HELLO')
  const open = await given(t, { BERTH_GATEWAY_CLIENTS: 'any' })
  await reserve(open, { start_in: 0, duration: 600 }, 'admin')
  await becomes(open, 'HELLO')
})

test('only SUTs with the tags of this instance are forwarded, and changed tags take effect', async (t) => {
  const stage = await given(t, { BERTH_GATEWAY_SUTS: 'site=berlin' })
  await reserve(stage, { start_in: 0, duration: 600 })
  stage.service.tick()
  t.is(await ask(stage.port, 'hello'), 'ECONNREFUSED')
  await stage.admin.post(`/api/sut/${stage.sut_id}/tags`, { site: 'berlin' })
  stage.service.clock.set('2030-05-02T06:02:02.000Z')
  await becomes(stage, 'HELLO')
  const open = connect(stage.port, '127.0.0.1')
  t.is(await exchange(open, 'before'), 'BEFORE')
  await stage.admin.post(`/api/sut/${stage.sut_id}/tags`, { site: 'paris' })
  await becomes(stage, 'ECONNRESET')
  t.is(await exchange(open, 'after'), 'AFTER', 'open connections stay')
  open.destroy()
})

test('a changed address or port applies to new connections', async (t) => {
  const stage = await given(t)
  await reserve(stage, { start_in: 0, duration: 600 })
  await becomes(stage, 'HELLO')
  const open = connect(stage.port, '127.0.0.1')
  t.is(await exchange(open, 'before'), 'BEFORE')
  const other = await startSut(t, (socket) => void socket.resume().end('another machine'))
  await stage.admin.post(`/api/sut/${stage.sut_id}/update`, { port: other.port })
  await becomes(stage, 'another machine')
  t.is(await exchange(open, 'after'), 'AFTER', 'open connections stay')
  open.destroy()
})

test('running reservations are forwarded again after a restart', async (t) => {
  const stage = await given(t)
  await reserve(stage, { start_in: 0, duration: 600 })
  await becomes(stage, 'HELLO')
  await stage.service.stop()
  const again = await start(t, {
    now: NOW,
    data: stage.service.data,
    environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${stage.port}-${stage.port}` },
  })
  const isReady = async (): Promise<boolean> => (await again.anyone.get('/health/ready')).status === 200
  await until('ready', isReady, 60_000)
  t.is(await ask(stage.port, 'hello'), 'HELLO', 'when it is ready')
})

test('a jump of the clock opens and closes nothing until the clock is back', async (t) => {
  const begun = Date.parse(NOW)
  const stage = await given(t, {}, { sinceBoot: () => begun })
  await reserve(stage, { start_in: 0, duration: 600 })
  await becomes(stage, 'HELLO')
  stage.service.clock.set('2030-05-02T06:40:00.000Z')
  for (let n = 0; n < 5; n++) {
    stage.service.tick()
    t.is(await ask(stage.port, 'hello'), 'HELLO')
  }
  stage.service.clock.set(NOW)
  await becomes(stage, 'HELLO')
})

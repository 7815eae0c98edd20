/** What becomes of deliveries that receivers do not take. */

import { createServer, type Socket } from 'node:net'
import test from 'ava'
import { RETRY_DELAYS } from '../../../src/processes/webhooks/delivery.ts'
import type { Tidying } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { answering, type HookLab, hookLab, receive } from './receiver.ts'

const changed = (n: number) => ({ description: `change ${n}` })

test('an event is tried again after each delay, then the webhook is disabled for a recorded reason, with an alarm', async (t) => {
  const receiver = await receive(t, answering(503))
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(1))
  for (const [n, delay] of RETRY_DELAYS.entries()) {
    await receiver.takes(n + 1)
    await until('attempt', async () => (await lab.deliveriesOf(hook)).length === n + 1, 5_000)
    lab.pass(delay / 1_000 - 1)
    lab.tick()
    t.is(receiver.received.length, n + 1)
    lab.pass(1)
  }
  await receiver.takes(8)
  const [{ data } = { data: {} }] = await lab.untilRecorded('WebhookDisabled')
  t.like(data, { _id: hook._id, failure: { cause: 'status', status: 503 } })
  t.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.like(await lab.shown(hook), { enabled: false, last_failure: { cause: 'status', status: 503 } })
  const alarm = async () =>
    /berth_alarm\{part="webhooks"\} (\d)/.exec((await lab.ask('admin', 'GET /metrics')).text)?.[1]
  t.is(await alarm(), '1')
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(2))
  receiver.answerWith(answering(204))
  await lab.on(hook, 'enable')
  await receiver.takes(10)
  t.deepEqual(
    receiver.received.slice(8).map(({ event }) => (event.data as { description: string }).description),
    ['change 1', 'change 2'],
  )
  t.is(await alarm(), '0')
  t.is((await lab.shown(hook)).last_failure, null)
  const metrics = (await lab.ask('admin', 'GET /metrics')).text
  t.regex(metrics, new RegExp(`berth_webhook_failed_total\\{webhook="${hook._id}"\\} 8`))
  t.regex(metrics, new RegExp(`berth_webhook_delivered_total\\{webhook="${hook._id}"\\} 2`))
})

test('while one is tried again no other is begun, and a new URL is tried at once', async (t) => {
  const [receiver, next] = [await receive(t, answering(500)), await receive(t)]
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(1))
  await receiver.takes(1)
  await until('attempt', async () => (await lab.deliveriesOf(hook)).length === 1, 5_000)
  await lab.ask('admin', 'POST /api/sut/import', { suts: [{ name: 'x', address: 'x', port: 1, sut_type: 'tcp' }] })
  lab.pass(1)
  t.true((await lab.shown(hook)).lag >= 3)
  t.like(await lab.shown(hook), { last_failure: { status: 500 } })
  t.is((await lab.on(hook, 'update', { url: next.url })).json.last_failure, null)
  await next.takes(3)
  t.is(receiver.received.length, 1)
  t.deepEqual(next.types()[0], 'SutUpdated')
})

test('a receiver that answers 410 is removed', async (t) => {
  const receiver = await receive(t, answering(410))
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(1))
  const [{ data } = { data: {} }] = await lab.untilRecorded('WebhookRemoved')
  t.deepEqual(data, { _id: hook._id, cause: 'gone' })
})

test('a redirect is not followed', async (t) => {
  const elsewhere = await receive(t)
  const receiver = await receive(t, answering(307, { Location: elsewhere.url }))
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  t.like((await lab.on(hook, 'test')).json, { status: 307, cause: 'status' })
  t.deepEqual(elsewhere.received, [])
})

/** A server that speaks no HTTP, or not to the end. */
const peer = async (t: Tidying, onConnection: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

const onData = (act: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => act(socket))

type Behaviour = readonly [what: string, behave: (socket: Socket) => void, cause: string | null]

/** What a test of each of these receivers comes to. */
const causesOf = async (t: Tidying, lab: HookLab, rows: readonly Behaviour[]) => {
  const causeOf = async ([what, behave]: Behaviour) => {
    const hook = await lab.create(await peer(t, behave), { types: ['SutRetired'] })
    return [what, (await lab.on(hook, 'test')).json.cause]
  }
  return Promise.all(rows.map(causeOf))
}
const expectedOf = (rows: readonly Behaviour[]) => rows.map(([what, , cause]) => [what, cause])

test('a receiver that does not answer in time has failed, also one that answers a little at a time', async (t) => {
  const drip = onData((socket) => {
    const timer = setInterval(() => socket.write('X-Slow: 1\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
    socket.write('HTTP/1.1 200 OK\r\n')
  })
  const rows: readonly Behaviour[] = [
    ['silent', () => undefined, 'timed_out'],
    ['slow', drip, 'timed_out'],
  ]
  t.deepEqual(await causesOf(t, await hookLab(t, { webhooks: { timeout: 300 } }), rows), expectedOf(rows))
})

test('a receiver that cuts off or lies has failed, and one that never ends is taken at its first word', async (t) => {
  const endless = onData((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const write = (): void => {
      while (socket.writable && socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`));
    }
    socket.on('drain', write)
    write()
  })
  const rows: readonly Behaviour[] = [
    ['cuts off', onData((socket) => socket.resetAndDestroy()), 'reset'],
    ['ends', onData((socket) => socket.end()), 'reset'],
    ['lies', onData((socket) => socket.end('220 mail.example ESMTP\r\n')), 'not_http'],
    ['endless', endless, null],
  ]
  t.deepEqual(await causesOf(t, await hookLab(t), rows), expectedOf(rows))
})

test('a name that resolves to another address after the check is not sent to', async (t) => {
  const receiver = await receive(t)
  let address = '127.0.0.1'
  const lab = await hookLab(t, { webhooks: { resolve: async () => [{ address, family: 4 }] } })
  const hook = await lab.create(`http://hooks.lab.example:${receiver.port}/`, { types: ['SutRetired'] })
  t.like((await lab.on(hook, 'test')).json, { status: 204, cause: null })
  for (const rebound of ['169.254.169.254', '192.0.2.1']) {
    address = rebound
    t.like((await lab.on(hook, 'test')).json, { status: null, cause: 'forbidden_address' }, rebound)
  }
  const own = await lab.create(`http://hooks.lab.example:${lab.port}/`, { types: ['SutRetired'] })
  address = '127.0.0.1'
  t.like((await lab.on(own, 'test')).json, { cause: 'forbidden_address' })
  t.is(receiver.received.length, 1)
})

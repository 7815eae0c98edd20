/** How to reach a reserved SUT, as the service tells it. */

import { createServer } from 'node:net'
import test from 'ava'
import { type Answer, basic, type Headers } from '../../http/client.ts'
import { idOf, start } from '../../http/harness.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { createSut, reserved } from '../../http/requests.ts'
import { exchange } from '../../http/server/raw-http.ts'
import { until } from '../../http/until.ts'
import { connectTo, freePort, freePorts } from '../peers.ts'
import '../../http/documents/fit-answers.ts'
import { forwarding, NEXT_QUARTER, NOW, opened, reserveFor, running, SOON, type Stage } from './stage.ts'

type Environment = Readonly<Record<string, string>>

const read = ({ service }: Stage, path: string, headers: Headers = {}, who = 'alice'): Promise<Answer> =>
  service.as(who).get(`${path}/connection`, headers)

const VNC = { Accept: 'application/x-vnc' }

test('the holder and administrators read a connection, nobody else', async (t) => {
  const stage = await forwarding(t)
  const path = await running(stage)
  const expected = {
    host: '127.0.0.1',
    port: stage.listenPort,
    sut_type: 'vnc',
    open: true,
    bound: true,
    bound_here: true,
    released_unused_at: null,
    connections: 0,
    last_error: null,
  }
  t.deepEqual((await read(stage, path)).json, expected)
  t.deepEqual((await read(stage, path, {}, 'admin')).json, expected)
  t.deepEqual(refusalOf(await read(stage, path, {}, 'bob')), [403, 'not_your_reservation'])
  t.deepEqual(refusalOf(await read(stage, path, {}, 'audrey')), [403, 'forbidden'])
  const unknown = '/api/sut_reservation/58c38f5d444553252cce0000'
  t.deepEqual(refusalOf(await read(stage, unknown)), [404, 'reservation_not_found'])
})

test('a connection is open while the reservation runs; a released one is not, a cancelled one has none', async (t) => {
  const stage = await forwarding(t)
  const { service } = stage
  const path = await reserveFor(stage, NEXT_QUARTER)
  const isOpen = async () => (await read(stage, path)).json.open
  t.is(await isOpen(), false)
  service.clock.set('2030-05-02T06:15:00.000Z')
  await opened(stage, path)
  service.clock.set('2030-05-02T06:30:00.000Z')
  service.tick()
  await until('the port is closed', async () => !(await isOpen()), SOON)
  const { status, json } = await read(stage, path)
  t.is(status, 200)
  t.like(json, { host: '127.0.0.1', open: false, bound: false, bound_here: false, connections: 0 })
  const cancel = (path: string) => service.as('alice').request('POST', `${path}/cancel`)
  const later = await reserveFor(stage, { start_in: 3_600, duration: 600 })
  await cancel(later)
  t.deepEqual(refusalOf(await read(stage, later)), [410, 'reservation_cancelled'])
  const released = await reserveFor(stage, { start_in: 0, duration: 600 })
  await opened(stage, released)
  await cancel(released)
  t.like((await read(stage, released)).json, { open: false, bound: false })
})

test('a reservation is bound to an address, which may be that of the caller', async (t) => {
  const stage = await forwarding(t, {}, { environment: { BERTH_TRUSTED_PROXIES: '127.0.0.1' } })
  const { service } = stage
  const body = { user_id: idOf('alice'), sut_id: stage.sutId, ...NEXT_QUARTER }
  const path = String((await reserved(service.as('admin'), body)).headers.location)
  const from = (address: string) => ({ 'X-Forwarded-For': address })
  t.like((await read(stage, path, from('192.0.2.1'))).json, { bound: false, bound_here: false })
  await service.as('alice').request('POST', `${path}/update`, from('192.0.2.1'))
  t.like((await read(stage, path, from('192.0.2.1'))).json, { bound: true, bound_here: true })
  t.like((await read(stage, path, from('192.0.2.2'))).json, { bound: true, bound_here: false })
})

test('thorough: a reservation stays bound when the key of the vault is replaced', async (t) => {
  const key = (fill: number): string => `k${fill}:${Buffer.alloc(32, fill).toString('base64')}`
  const stage = await forwarding(t, {}, { environment: { BERTH_VAULT_KEY: key(1) } })
  const path = await reserveFor(stage, NEXT_QUARTER)
  await stage.service.stop()
  const again = await start(t, {
    now: NOW,
    data: stage.service.data,
    environment: { BERTH_VAULT_KEY: `${key(2)},${key(1)}` },
  })
  t.like((await again.as('alice').get(`${path}/connection`)).json, { bound: true, bound_here: true })
  const bindings = async (): Promise<readonly string[]> => {
    const { text } = await again.as('admin').get(`${path}/history`)
    return [...text.matchAll(/"client":"(k\d):[^"]+"/g)].map(([, id]) => id as string)
  }
  t.deepEqual(await bindings(), ['k1'])
  for (let n = 0; n < 2; n++) {
    t.is((await again.as('alice').request('POST', `${path}/update`)).status, 200)
    t.deepEqual(await bindings(), ['k1', 'k2'], 'once under the newest key')
  }
})

test('connections are counted, and the last error is kept', async (t) => {
  const stage = await forwarding(t)
  const path = await running(stage)
  const clients = [await connectTo(t, stage.listenPort), await connectTo(t, stage.listenPort)]
  const connections = async () => (await read(stage, path)).json.connections
  await until('two connections', async () => (await connections()) === 2, SOON)
  for (const { socket } of clients) socket.resetAndDestroy()
  await until('no connection', async () => (await connections()) === 0, SOON)
  await stage.service.as('admin').post(`/api/sut/${stage.sutId}/update`, { port: 1 })
  await connectTo(t, stage.listenPort)
  await until('an error', async () => (await read(stage, path)).json.last_error !== null, SOON)
  t.deepEqual((await read(stage, path)).json.last_error, { time: NOW, cause: 'refused' })
})

test('thorough: a target that is the service itself has an error of its own', async (t) => {
  const stage = await forwarding(t)
  const { service } = stage
  await service.as('admin').post(`/api/sut/${stage.sutId}/update`, { port: service.port })
  const path = await running(stage)
  await connectTo(t, stage.listenPort)
  const error = async () => (await read(stage, path)).json.last_error as { cause: string } | null
  await until('an error', async () => (await error())?.cause === 'own_address', SOON)
  t.pass()
})

test('thorough: a port held by another program is not open, with an alarm until its reservation is over', async (t) => {
  const port = await freePort()
  const taken = createServer().listen(port, '127.0.0.1')
  t.teardown(() => taken.close())
  const stage = await forwarding(t, {}, { environment: { BERTH_LISTEN_PORTS: `${port}-${port}` } })
  const path = await reserveFor(stage)
  const hasAlarm = async () =>
    /^berth_alarm\{part="gateway"\} 1$/m.test((await stage.service.as('admin').get('/metrics')).text)
  await until('the alarm', async () => stage.service.tick() === undefined && (await hasAlarm()), SOON)
  t.like((await read(stage, path)).json, { open: false, host: '127.0.0.1', last_error: { cause: 'port_taken' } })
  await stage.service.as('alice').request('POST', `${path}/cancel`)
  await until('no alarm', async () => stage.service.tick() === undefined && !(await hasAlarm()), SOON)
})

const hosts: readonly (readonly [what: string, Environment, Headers, json: string | null, inFile?: string])[] = [
  ['the address of the gateway', { BERTH_GATEWAY_HOST: '127.0.0.2' }, {}, '127.0.0.2'],
  ['the public host', { BERTH_GATEWAY_PUBLIC_HOST: 'berth.lab.example' }, {}, 'berth.lab.example'],
  ['the host of the request', { BERTH_GATEWAY_HOST: '0.0.0.0' }, { Host: 'berth.lab:8443' }, 'berth.lab'],
  [
    'the IPv6 address of the request',
    { BERTH_GATEWAY_HOST: '::' },
    { Host: '[2001:db8::1]:80' },
    '2001:db8::1',
    '[2001:db8::1]',
  ],
  ['the public IPv6 address', { BERTH_GATEWAY_PUBLIC_HOST: '2001:db8::2' }, {}, '2001:db8::2', '[2001:db8::2]'],
  ['nothing on another instance', { BERTH_GATEWAY_SUTS: 'site=berlin' }, {}, null],
  ['nothing without a gateway', { BERTH_GATEWAY: 'off' }, {}, null],
]
for (const [what, environment, headers, json, inFile = json] of hosts) {
  test(`the host of a connection is ${what}`, async (t) => {
    const stage = await forwarding(t, {}, { environment })
    const path = await reserveFor(stage, NEXT_QUARTER)
    t.is((await read(stage, path, headers)).json.host, json)
    const file = await read(stage, path, { ...headers, ...VNC })
    if (inFile === null) t.deepEqual(refusalOf(file), [409, 'not_forwarded'])
    else t.is(file.text, `[connection]\r\nhost=${inFile}\r\nport=${stage.listenPort}\r\n`)
  })
}

test('HTTP/1.0 without a Host names the address that was connected to', async (t) => {
  const stage = await forwarding(t, {}, { environment: { BERTH_GATEWAY_HOST: '0.0.0.0' } })
  const path = await reserveFor(stage, NEXT_QUARTER)
  const head = `GET ${path}/connection HTTP/1.0\r\nAuthorization: ${basic('alice')}\r\n\r\n`
  t.is((await exchange(stage.service.port, head))?.json.host, '127.0.0.1')
})

/** Files for viewers. */

const RDP = 'application/x-rdp'

test('an rdp SUT has a file with its address and, if known, the size of its desktop', async (t) => {
  const stage = await forwarding(t, { sut_type: 'rdp', rdp_width: 1680, password: 'canary 1', user_name: 'canary 2' })
  const path = await reserveFor(stage, NEXT_QUARTER)
  const { status, headers, text } = await read(stage, path, { Accept: RDP })
  t.is(status, 200)
  t.is(headers['content-type'], 'application/x-rdp')
  t.is(headers['content-disposition'], `attachment; filename="berth-${stage.listenPort}.rdp"`)
  t.is(headers.vary, 'Accept')
  const address = `full address:s:127.0.0.1:${stage.listenPort}\r\n`
  t.is(text, `${address}desktopwidth:i:1680\r\n`)
  await stage.service.as('admin').post(`/api/sut/${stage.sutId}/update`, { rdp_height: 1050 })
  t.is((await read(stage, path, { Accept: RDP })).text, `${address}desktopwidth:i:1680\r\ndesktopheight:i:1050\r\n`)
})

test('a file is only for SUTs of its type', async (t) => {
  const [first, , last] = await freePorts(3)
  const stage = await forwarding(t, {}, { environment: { BERTH_LISTEN_PORTS: `${first}-${last}` } })
  const admin = stage.service.as('admin')
  const pathOf = (sutId: string): Promise<string> => reserveFor({ ...stage, sutId }, NEXT_QUARTER)
  const vnc = await pathOf(stage.sutId)
  const rdp = await pathOf(await createSut(admin, { sut_type: 'rdp' }))
  const tcp = await pathOf(await createSut(admin, { sut_type: 'tcp' }))
  const JSON_TYPE = 'application/json'
  const cases: readonly (readonly [path: string, accept: string, mediaType: string | undefined])[] = [
    [vnc, 'application/x-vnc', 'application/x-vnc'],
    [vnc, 'application/x-rdp', undefined],
    [rdp, 'application/x-rdp', 'application/x-rdp'],
    [rdp, 'application/x-vnc', undefined],
    [tcp, 'application/x-vnc, application/x-rdp', undefined],
    [tcp, '*/*', JSON_TYPE],
    [vnc, 'application/*', JSON_TYPE],
    [vnc, 'application/x-rdp, application/json;q=0.5', JSON_TYPE],
    [rdp, 'application/x-rdp, application/json;q=0.5', 'application/x-rdp'],
    [rdp, 'text/html', undefined],
  ]
  for (const [path, accept, mediaType] of cases) {
    const answer = await read(stage, path, { Accept: accept })
    if (mediaType === undefined) t.deepEqual(refusalOf(answer), [406, 'not_acceptable'], accept)
    else t.is(answer.headers['content-type'], mediaType, accept)
  }
})

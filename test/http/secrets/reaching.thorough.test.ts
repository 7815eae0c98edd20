/** What a service shows of a machine whose credentials it uses: all that is about reaching it. */

import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { CONTROL_SOCKET } from '../../../src/app/control-socket.ts'
import { openAt } from '../../gateway/console/stage.ts'
import { connectTo, freePort, peer, startSut } from '../../gateway/peers.ts'
import { type SutScript, speakAsClient, speakAsSut } from '../../gateway/rfb/speakers.ts'
import { run, type Service, serve } from '../../process/harness.ts'
import type { Answer, Headers } from '../client.ts'
import { temporaryData } from '../harness.ts'
import { aSut } from '../requests.ts'
import { until } from '../until.ts'
import { filesIn, leaks, type Place } from './canary.ts'
import { canary } from './secret-requests.ts'

const SOON = 20_000

interface Stage {
  readonly t: ExecutionContext
  readonly data: string
  readonly env: Readonly<Record<string, string>>
  readonly service: Service
  readonly reservation: string
  readonly sut: string
  readonly listenPort: number
}

/** A VNC server that says everything it knows when it refuses. */
const startTalkingSut = async (t: ExecutionContext, secret: string) => {
  let script: SutScript = { version: '3.8', types: [2], password: secret }
  const { port } = await startSut(t, (socket) => void speakAsSut(peer(socket), script).catch(() => undefined))
  const refuse = (refusal: Partial<SutScript>): void => {
    script = { ...script, ...refusal }
  }
  return { port, refuse }
}

const answerOver = (data: string, method: string, path: string): Promise<Place> =>
  new Promise((resolve, reject) => {
    const asking = request({ socketPath: join(data, CONTROL_SOCKET), method, path })
    asking.on('error', reject).on('response', async (response) => {
      const body = JSON.stringify(response.rawHeaders) + (await text(response))
      resolve({ name: `${response.statusCode} over the socket to ${method} ${path}`, bytes: Buffer.from(body) })
    })
    asking.end()
  })

const ask = async ({ service }: Stage, path: string, headers: Headers = {}): Promise<Place> => {
  const answer: Answer = path.startsWith('POST ')
    ? await service.request('POST', path.slice(5), headers)
    : await service.get(path, headers)
  return { name: `${answer.status} to ${path}`, bytes: Buffer.from(JSON.stringify(answer.headers) + answer.text) }
}

/** Everything that answers about the machine. */
const askAll = async (stage: Stage): Promise<readonly Place[]> => {
  const { data, reservation, sut } = stage
  const read = [
    ...[`${reservation}/connection`, `${reservation}/history`, `/api/sut/${sut}`, `/api/sut/${sut}/history`],
    ...['/api/session', '/api/session?open=true', '/api/events', '/api/sut?monitoring=offline', '/metrics'],
    ...[`/api/sut/${sut}?as_of=4`, '/api/audit/checkpoint'],
  ]
  const done = [`POST ${reservation}/update`, `POST ${reservation}/console`, `POST /api/sut/${sut}/check`]
  return [
    ...(await Promise.all([...read, ...done].map((path) => ask(stage, path)))),
    await ask(stage, `${reservation}/connection`, { Accept: 'application/x-vnc' }),
    await ask(stage, '/api/events', { Accept: 'application/x-ndjson' }),
    ...(await Promise.all(read.map((path) => answerOver(data, 'GET', path)))),
    ...(await Promise.all(done.map((path) => answerOver(data, 'POST', path.slice(5))))),
  ]
}

/** Every command about the log and the machine. */
const runAll = ({ data, env, reservation, sut }: Stage): Promise<readonly Place[]> => {
  const id = reservation.split('/').at(-1) as string
  const commands = [
    ...[
      ['connect', id],
      ['connect', id, '--json'],
      ['sut', 'check', sut],
      ['sut', 'check', sut, '--json'],
    ],
    ...[['session', 'list'], ['session', 'list', '--open', '--json'], ['history', sut], ['verify'], ['replay']],
    ...[
      ['export', '--format', 'ndjson'],
      ['export', '--format', 'csv'],
      ['client', '127.0.0.1'],
      ['vault', 'status'],
    ],
  ]
  return Promise.all(
    commands.map(async (args) => {
      const { output, errors, code } = await run({ data, args, env })
      return { name: `${args.join(' ')} (${code})`, bytes: Buffer.from(output + errors) }
    }),
  )
}

const placesOf = async ({ data, service }: Stage): Promise<readonly Place[]> => [
  { name: 'standard output', bytes: Buffer.from(service.output()) },
  { name: 'standard error', bytes: Buffer.from(service.errors()) },
  ...(await filesIn(data)),
]

test('what reaches a machine with its password shows it to nobody', async (t) => {
  const [password, userName, marker] = [canary(), canary(), randomUUID()]
  const machine = await startTalkingSut(t, password)
  const data = await temporaryData(t)
  const listenPort = await freePort()
  const ports = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
  const env = { BERTH_LOG_LEVEL: 'trace', ...ports }
  const service = await serve(t, { data, env })
  const at = { address: '127.0.0.1', port: machine.port, sut_type: 'vnc', description: marker }
  const given = aSut({ ...at, password, user_name: userName })
  const sut = String((await service.post('/api/sut/create', given)).json._id)
  await service.post(`/api/sut/${sut}/monitoring`, { enabled: true, interval: 10 })
  const holder = (await service.get('/api/user/me')).json._id
  const window = { user_id: holder, sut_id: sut, start_in: 0, duration: 900 }
  const made = await service.post('/api/sut_reservation/create', window)
  const reservation = String(made.headers.location)
  const stage: Stage = { t, data, env, service, reservation, sut, listenPort }
  const connection = async () => (await service.get(`${reservation}/connection`)).json
  await until('the port is open', async () => (await connection()).open === true, SOON)

  await speakAsClient(await connectTo(t, listenPort), '3.8')
  const url = `http://127.0.0.1:${service.port}`
  const ticket = String((await service.request('POST', `${reservation}/console`)).json.url)
  t.true('socket' in (await openAt(t, { service: { url } }, ticket)))
  const sought = {
    password: Buffer.from(password),
    'what VNC uses of it': Buffer.from(password).subarray(0, 8),
    'the user name': Buffer.from(userName),
  }
  const beside = [...(await askAll(stage)), ...(await runAll(stage))]
  t.deepEqual(leaks(sought, [...beside, ...(await placesOf(stage))]), [], 'while a session is open')
  const ofTicket = { 'the ticket': Buffer.from(ticket.slice(ticket.lastIndexOf('/') + 1)) }
  t.deepEqual(leaks(ofTicket, await placesOf(stage)), [])

  machine.refuse({ types: [], reason: `Too many: ${password} of ${userName}` })
  const { reason } = await speakAsClient(await connectTo(t, listenPort), '3.8')
  const told: Place = { name: 'the reason', bytes: Buffer.from(String(reason)) }
  machine.refuse({ types: [2], password: 'another' })
  await speakAsClient(await connectTo(t, listenPort), '3.8')
  await until('the error', async () => (await connection()).last_error !== null, SOON)
  service.signal('SIGKILL')
  await service.exited
  t.deepEqual(leaks(sought, [told, ...(await placesOf(stage))]), [], 'after a crash')
  const again = { ...stage, service: await serve(t, { data, env }) }
  const restarted = await askAll(again)
  await again.service.stop()
  t.deepEqual(leaks(sought, [...restarted, ...(await placesOf(again))]), [], 'after a restart')
  const refused = [...beside, ...restarted].filter(({ name }) => !/^2|\(0\)$/.test(name))
  // A SUT is checked once a second, the socket has no address, and its user holds nothing.
  t.deepEqual(
    refused.filter(({ name }) => !/check|over the socket/.test(name)).map(({ name }) => name),
    [],
  )
  const found = leaks({ marker: Buffer.from(marker) }, beside).join()
  for (const place of [
    `/api/sut/${sut}/history`,
    '/api/events',
    'export --format csv',
    'over the socket to GET /api/events',
  ]) {
    t.true(found.includes(place), `control: ${place} is about the SUT`)
  }
})

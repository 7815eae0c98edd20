import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { CONTROL_SOCKET } from '../../src/app/control-socket.ts'
import { startLab } from '../client/lab.ts'
import { freePort, startSut } from '../gateway/peers.ts'
import { idOf, start, temporaryData } from '../http/harness.ts'
import { aSut, createSut, REFUSING, reserved } from '../http/requests.ts'
import { runProcess } from '../process/harness.ts'
import { type } from './terminal.ts'
import { environmentAt } from './users/stage.ts'

const given = async (t: ExecutionContext) => {
  const service = await start(t)
  const { port } = await startSut(t)
  const sut = await createSut(service.as('admin'), { address: '127.0.0.1', port, sut_type: 'tcp' })
  return { service, sut, beside: { BERTH_DATA: service.data } }
}

test('"sut check" probes a SUT over the socket of the service, and at its URL', async (t) => {
  const { service, sut, beside } = await given(t)
  const checked = await type(['sut', 'check', sut], beside)
  t.deepEqual([checked.code, checked.error], [0, ''])
  t.regex(checked.out, /^reachable\ttrue\ncause\t-\nmilliseconds\t\d+\n$/)
  const refusing = await createSut(service.as('admin'), { ...REFUSING, sut_type: 'tcp' })
  const json = await type(['sut', 'check', refusing, '--json'], await environmentAt(service, 'admin'))
  t.is(json.code, 1)
  t.like(JSON.parse(json.out), { reachable: false, cause: 'refused' })
})

test('what the service refuses is reported with its code', async (t) => {
  const { service, sut, beside } = await given(t)
  t.regex((await type(['sut', 'check', '6b013ba4e990750a68938b44'], beside)).error, /^berth: 404 sut_not_found: /)
  t.regex((await type(['sut', 'check', '../user/me'], beside)).error, /^berth: there is no SUT /)
  const forbidden = (await type(['sut', 'check', sut], await environmentAt(service, 'alice'))).error
  t.regex(forbidden, /^berth: 403 forbidden: /)
  t.true(forbidden.endsWith(` The service at ${service.url} was asked.\n`))
  const wrong = await environmentAt(service, 'nobody')
  t.regex((await type(['sut', 'check', sut], wrong)).error, /^berth: 401 unauthenticated: /)
  // Of other variables and files the tests of the client say what is wrong.
  t.is((await type(['sut', 'check', sut], { BERTH_URL: service.url })).code, 2)
  const nowhere = { BERTH_URL: `http://127.0.0.1:${await freePort()}/berth/`, BERTH_TOKEN: `berth_${'A'.repeat(43)}` }
  t.regex((await type(['sut', 'check', sut], nowhere)).error, /cannot be reached: connect ECONNREFUSED/)
})

/** A POST over the socket of a service. */
const postOverSocket = async (data: string, path: string, body: object) => {
  const headers = { 'Content-Type': 'application/json' }
  const sent = request({ socketPath: join(data, CONTROL_SOCKET), method: 'POST', path, headers })
  sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: (await json(response)) as Record<string, unknown> }
}

test('what is done over the socket is recorded as done by the command line, from no address', async (t) => {
  const { service } = await given(t)
  const created = await postOverSocket(service.data, '/api/sut/create', aSut())
  t.is(created.status, 201)
  const history = await service.as('admin').get(`/api/sut/${created.body._id}/history`)
  const [event] = history.json.events as { readonly actor: string; readonly client?: string }[]
  t.is(event?.actor, 'command-line')
  t.false('client' in (event ?? {}))
  const answered = service.answered.filter(({ user }) => user?._id === 'command-line')
  t.deepEqual(new Set(answered.map(({ address }) => address)), new Set(['unknown']))
})

test('a reservation cannot be bound over the socket, which has no address', async (t) => {
  const { service, sut: sut_id } = await given(t)
  const user_id = idOf('alice')
  const made = await reserved(service.as('alice'), { user_id, sut_id, start_in: 0, duration: 600 })
  const { status, body } = await postOverSocket(service.data, `/api/sut_reservation/${made.json._id}/update`, {})
  t.is(status, 403)
  t.like(body, { code: 'forbidden', detail: 'A request over the control socket has no address to bind to.' })
})

const VIEWERS = {
  vnc: /(vncviewer|xtigervncviewer|gvncviewer|remote-viewer) .*127\.0\.0\.1:+\d+$/,
  rdp: /(freerdp|freerdp3|rdesktop) .*127\.0\.0\.1:\d+$/,
  tcp: /(nc|ncat|telnet) -- 127\.0\.0\.1 \d+$/,
} as const

/** Running reservations of Alice's, one of a machine of each type, on a service that forwards them. */
const running = async (t: ExecutionContext) => {
  const lab = await startLab(t, 3)
  const { service, suts } = lab
  const ids: string[] = []
  for (const [n, sut_type] of Object.keys(VIEWERS).entries()) {
    await service.as('admin').post(`/api/sut/${suts[n]}/update`, { sut_type })
    const body = { user_id: idOf('alice'), sut_id: suts[n], start_in: 0, duration: 600 }
    ids.push(String((await reserved(service.as('alice'), body)).json._id))
  }
  for (const id of ids) await service.as('alice').get(`/api/sut_reservation/${id}/connection?wait=30`)
  return { service, ids, beside: { BERTH_DATA: service.data } }
}

test('"connect" prints host, port and a command for a SUT of each type, or why there is nothing to connect to', async (t) => {
  const { service, ids, beside } = await running(t)
  for (const [n, [sut_type, viewer]] of Object.entries(VIEWERS).entries()) {
    const id = String(ids[n])
    const json = JSON.parse((await type(['connect', id, '--json'], beside)).out)
    t.like(json, { host: '127.0.0.1', sut_type, open: true })
    for (const environment of [beside, await environmentAt(service, 'alice')]) {
      const { code, out, error } = await type(['connect', id], environment)
      t.deepEqual([code, error], [0, ''])
      const [host, port, line = ''] = out.trim().split('\t')
      t.deepEqual([host, port], ['127.0.0.1', String(json.port)])
      t.regex(line, viewer)
    }
  }
  const [id = ''] = ids
  await service.as('alice').request('POST', `/api/sut_reservation/${id}/cancel`)
  const why = 'the reservation has not begun or is over'
  t.is((await type(['connect', id], beside)).error, `berth: the port is not open: ${why}\n`)
  t.regex((await type(['connect', 'none'], beside)).error, /^berth: nobody has a running reservation of "none"/)
})

test('thorough: "connect --exec" starts the viewer that is installed, and ends as it does', async (t) => {
  const { service, ids } = await running(t)
  const viewers = await temporaryData(t)
  await writeFile(join(viewers, 'gvncviewer'), '#!/bin/sh\necho "shown: $*"\nexit 7\n', { mode: 0o700 })
  const connect = (PATH: string) =>
    runProcess(t, { data: service.data, args: ['connect', String(ids[0]), '--exec'], env: { PATH } })
  const shown = await connect(viewers)
  t.is(shown.code, 7, shown.errors)
  t.regex(shown.output, /^shown: 127\.0\.0\.1::\d+\n$/)
  const none = await connect(join(viewers, 'none'))
  t.is(none.code, 77)
  t.regex(none.errors, /no viewer is installed; one of these would do: vncviewer, /)
})

test('"client" prints the name of an address in the log, under every key', async (t) => {
  const { service, beside } = await given(t)
  const me = await service.as('alice').get('/api/user/me')
  t.is(me.status, 200)
  const sut = await createSut(service.as('admin'))
  const history = await service.as('admin').get(`/api/sut/${sut}/history`)
  const recorded = /"client":"([^"]+)"/.exec(history.text)?.[1]
  for (const address of ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1']) {
    const { code, out, error } = await type(['client', address], beside)
    t.deepEqual([code, error], [0, ''])
    t.is(out.trim(), String(recorded), address)
  }
  t.not((await type(['client', '192.0.2.7'], beside)).out.trim(), String(recorded))
  await type(['vault', 'rotate'], beside)
  const { clients } = JSON.parse((await type(['client', '127.0.0.1', '--json'], beside)).out)
  t.is(clients.length, 2)
  t.is(clients[1], recorded)
})

test('"client" refuses what is no address, and says which keys it cannot read', async (t) => {
  t.is((await type(['client', 'lab.example'], {})).code, 2)
  const { code, error } = await type(['client', '192.0.2.7'], { BERTH_DATA: '/nowhere' })
  t.deepEqual([code, error], [1, "berth: the vault's keys cannot be read from /nowhere/vault.key: it does not exist\n"])
})

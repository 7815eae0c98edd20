import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { idOf, start, temporaryData } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { runProcess } from '../process/harness.ts'
import { type } from './terminal.ts'

const TOKEN = `berth_${'A'.repeat(43)}`
/** Clears the screen, in both codings, and turns the direction of text around. */
const EVIL = '\u001b[2J\u009b2J\u202e'

/** A service that answers each request with the body for its path, and keeps the credentials it was sent. */
const startOther = async (
  t: ExecutionContext,
  answerTo: (path: string) => unknown,
  encode: (answer: unknown) => string = JSON.stringify,
) => {
  const authorized: (string | undefined)[] = []
  const server = createServer(({ url = '', headers }, response) => {
    authorized.push(headers.authorization)
    response.end(encode(answerTo(url)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { authorized, environment: { BERTH_URL: url, BERTH_TOKEN: TOKEN } }
}

const ID = '6b013ba4e990750a68938b44'
const CONNECTION = { host: '127.0.0.1', port: 20000, sut_type: 'tcp', open: true, bound: true, bound_here: true }
const NO_PLACE = 'berth: the answer of the service has no host and port\n'

test('"connect" starts no program with what is no address, nor prints it', async (t) => {
  const programs = await temporaryData(t)
  await writeFile(join(programs, 'nc'), '#!/bin/sh\necho "run: $*"\n', { mode: 0o700 })
  let host = ''
  const { environment } = await startOther(t, () => ({ ...CONNECTION, host }))
  const connect = () =>
    runProcess(t, { data: programs, args: ['connect', ID, '--exec'], env: { ...environment, PATH: programs } })
  host = '--sh-exec=id'
  const refused = await connect()
  t.deepEqual([refused.code, refused.output, refused.errors], [69, '', NO_PLACE])
  for (const wrong of [{ host: `a${EVIL}` }, { port: '22;id' }]) {
    const other = await startOther(t, () => ({ ...CONNECTION, ...wrong }))
    t.deepEqual(await type(['connect', ID], other.environment), { code: 69, out: '', error: NO_PLACE })
  }
  host = 'lab.example'
  t.is((await connect()).output, 'run: -- lab.example 20000\n')
})

test('what is unprintable in an answer is shown as an escape, and means the same in JSON', async (t) => {
  const reserved = { ...CONNECTION, more: EVIL }
  const { environment } = await startOther(t, (path) =>
    path.includes('user') ? { users: [{ _id: ID, name: '\u202e' }] } : reserved,
  )
  const json = await type(['connect', ID, '--json'], environment)
  t.regex(json.out, /^[\x20-\x7e]+\n$/)
  t.deepEqual(JSON.parse(json.out), reserved)
  t.true((await type(['user', 'list'], environment)).out.startsWith(`${ID}\t\\u202e\t`))
})

test('a token in BERTH_TOKEN, or alone in the file of credentials, is sent as Bearer', async (t) => {
  const { authorized, environment } = await startOther(t, () => ({ sessions: [] }))
  const file = join(await temporaryData(t), 'credentials')
  await writeFile(file, `${TOKEN}\n`, { mode: 0o600 })
  const { BERTH_URL } = environment
  for (const variables of [environment, { BERTH_URL, BERTH_CREDENTIALS_FILE: file }]) {
    t.is((await type(['session', 'list'], variables)).code, 0)
  }
  t.deepEqual(authorized, [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`])
})

test('"audit key" and "checkpoint" ask the service at BERTH_URL, and read files with --local', async (t) => {
  const service = await start(t)
  const issued = await service.as('audrey').post('/api/user/me/token', { name: 'nightly' })
  const remote = { BERTH_URL: service.url, BERTH_TOKEN: String(issued.json.token) }
  for (const line of [['audit', 'key'], ['audit', 'key', '--json'], ['checkpoint'], ['checkpoint', '--json']]) {
    const local = await type(line, { BERTH_DATA: service.data })
    t.is(local.code, 0)
    t.deepEqual(await type(line, { ...remote, BERTH_DATA: '/nowhere' }), local)
    t.deepEqual(await type([...line, '--local'], { ...remote, BERTH_DATA: service.data }), local)
    const { environment } = await startOther(t, () => EVIL)
    const { code, out } = await type(line, environment)
    t.deepEqual([code, out], [1, ''], 'an answer that is none')
  }
})

test('"history" and "export" ask the service at BERTH_URL, or the one on BERTH_DATA', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await createSut(admin, { name: 'lab-1' })
  const made = await reserved(admin, aReservation(sut))
  await admin.post(`/api/sut/${sut}/tags`, { rack: '4' }, { 'Berth-Reason': 'moved' })
  await admin.post(`/api/user/${idOf('bob')}/update`, { role: 'auditor' })
  const issued = await service.as('audrey').post('/api/user/me/token', { name: 'nightly' })
  const own = { BERTH_DATA: service.data }
  const remote = { BERTH_URL: service.url, BERTH_TOKEN: String(issued.json.token) }
  const ids = [sut, String(made.json._id), idOf('bob'), 'LAB-1', 'bob']
  const formats = ['ndjson', 'csv', 'cloudevents', 'leaves'].map((format) => ['export', '--format', format])
  const parts = [
    ['--from', '4', '--to', '9'],
    ['--type', 'SutCreated', '--type', 'UserAdded'],
    ['--sut', sut, '--from', '2030-01-01T00:00:00Z', '--to', '2031-01-01T00:00:00Z'],
    ['--sut', 'LAB-1'],
    ['--to', '2030-01-01T00:00:00Z', '--json'],
    ['--excel'],
  ].map((part) => ['export', '--format', 'csv', ...part])
  const lines = [
    ...ids.flatMap((id) => [
      ['history', id],
      ['history', id, '--json'],
    ]),
    ...formats,
    ...parts,
  ]
  for (const line of lines) {
    const local = await type(line, own)
    t.is(local.code, 0, local.error)
    t.deepEqual(await type(line, { ...remote, BERTH_DATA: '/nowhere' }), local, line.join(' '))
  }
  const log = ['--log', join(service.data, 'events.db')]
  for (const line of [...formats, ['export', '--format', 'csv', '--sut', sut]]) {
    t.deepEqual(await type([...line, ...log]), await type(line, own))
  }
  const none = await type(['history', 'lab-9'], remote)
  t.deepEqual([none.code, none.error], [1, 'berth: there is no SUT or user "lab-9"\n'])
  const exportOf = ['export', '--format', 'csv', '--sut', 'lab-9']
  t.deepEqual(await type(exportOf, remote), { code: 1, out: '', error: 'berth: there is no SUT "lab-9"\n' })
})

test('thorough: the long history of a SUT is asked for page by page', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  for (let n = 0; n < 205; n++) await service.as('admin').post(`/api/sut/${sut}/tags`, { rack: String(n) })
  const issued = await service.as('audrey').post('/api/user/me/token', { name: 'nightly' })
  const remote = { BERTH_URL: service.url, BERTH_TOKEN: String(issued.json.token) }
  const { out } = await type(['history', sut, '--json'], remote)
  const listed = await service.as('audrey').get(`/api/sut/${sut}/history?limit=1000`)
  t.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    listed.json.events,
  )
})

test('an export of another service that is cut off is no complete one', async (t) => {
  const checkpoint = `berth\n2\n${'A'.repeat(43)}=\n\n\u2014 berth AAAA\n`
  for (const [leaves, why] of [
    ['', 'the answer of the service was cut off'],
    ['{"data":{}}\n{"da', 'the answer of the service was cut off'],
    ['<html>\n', 'store position 0: /: Unexpected token'],
    [`${JSON.stringify({ type: EVIL })}\n`, 'undefined@undefined: /'],
  ] as const) {
    const { environment } = await startOther(
      t,
      (path) => (path.includes('leaves') ? leaves : checkpoint),
      (text) => String(text),
    )
    const { code, error } = await type(['export', '--format', 'csv'], environment)
    t.is(code, 1)
    t.true(error.startsWith(`berth: ${why}`), error)
    t.regex(error, /^[\x20-\x7e\n]+$/)
  }
  const { environment } = await startOther(t, () => ({}))
  const none = await type(['export', '--format', 'csv'], environment)
  t.deepEqual([none.code, none.error], [1, 'berth: the service did not answer with a checkpoint\n'])
})

test('commands on files say that they do not ask the service at BERTH_URL', async (t) => {
  const service = await start(t)
  const files = { BERTH_DATA: service.data }
  const remote = { ...files, BERTH_URL: 'http://127.0.0.1:9', BERTH_TOKEN: TOKEN }
  const backup = join(await temporaryData(t), 'backup')
  for (const line of [['verify'], ['replay'], ['backup', backup]]) {
    const note = `berth: ${line[0]} does not ask the service at BERTH_URL: it works on files\n`
    t.true((await type(line, remote)).error.startsWith(note), line[0])
    t.false((await type(line, files)).error.includes('BERTH_URL'), line[0])
  }
})

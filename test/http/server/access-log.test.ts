import { connect } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import { type RequestSummary, requestLine, traceIdOf } from '../../../src/http/response/request-summary.ts'
import { anyCharacter } from '../../characters.ts'
import { basic } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import { until } from '../until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

const lineOf = (answered: RequestSummary): Readonly<Record<string, unknown>> => {
  const line = requestLine(answered, 1_900_000_000_000, 77)
  if (!line.endsWith('}\n')) throw new Error(`not a line: ${line}`)
  return JSON.parse(line)
}

test('a request is logged with its route, answer, user, address and trace', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  const accepted = await reserve(service.as('alice'), aReservation(sut), headers)
  const refused = await reserve(service.as('alice'), aReservation(sut))
  const [, first, second] = service.answered
  if (first === undefined || second === undefined) return t.fail()
  const { ms, ...line } = lineOf(first)
  t.deepEqual(line, {
    level: 30,
    time: 1_900_000_000_000,
    pid: 77,
    request_id: accepted.headers['x-request-id'],
    trace_id: TRACE,
    method: 'POST',
    route: '/api/sut_reservation/create',
    status: 201,
    user: idOf('alice'),
    role: 'tester',
    address: '127.0.0.1',
    msg: 'answered',
  })
  t.true(typeof ms === 'number' && ms > 0 && ms < 60_000)
  const { request_id, trace_id, status, code } = lineOf(second)
  t.deepEqual([request_id, trace_id, status, code], [refused.json.instance, undefined, 409, 'reservation_conflict'])
})

test('a request with a token is logged with the id of the token, and no part of the rest', async (t) => {
  const service = await start(t, { now: NOW })
  const { json } = await service.as('alice').post('/api/user/me/token', { name: 'ci' })
  await service.anyone.get('/api/user/me', { Authorization: `Bearer ${json.token}` })
  const [, answered] = service.answered
  if (answered === undefined) return t.fail()
  const line = lineOf(answered)
  t.deepEqual([line.user, line.token, line.session], [idOf('alice'), json._id, undefined])
  t.false(JSON.stringify(line).includes(String(json.token).slice(-20)))
})

test("the client address is taken from a trusted proxy's header, and the first of another peer is logged", async (t) => {
  const rows: readonly (readonly [trusted: string | undefined, address: string])[] = [
    ['127.0.0.0/8', '192.0.2.7'],
    ['10.0.0.1', '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ]
  for (const [trusted, address] of rows) {
    const service = await start(t, { environment: trusted === undefined ? {} : { BERTH_TRUSTED_PROXIES: trusted } })
    const read = (headers = {}) => service.as('admin').get('/api/user/me', headers)
    const warnings = () => service.log.filter(({ sentence }) => sentence.includes('BERTH_TRUSTED_PROXIES'))
    await read()
    t.deepEqual(warnings(), [])
    for (const client of ['192.0.2.7', '192.0.2.7']) await read({ 'X-Forwarded-For': client })
    t.deepEqual(
      service.answered.map((summary) => summary.address),
      ['127.0.0.1', address, address],
    )
    const isTrusted = address === '192.0.2.7'
    t.deepEqual(
      warnings().map(({ level, facts }) => ({ level, facts })),
      isTrusted ? [] : [{ level: 'warn', facts: { peer: '127.0.0.1' } }],
    )
  }
})

test('the route is logged as its pattern, never as the requested path', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, sut] = [service.as('admin'), await createSut(service.as('admin'))]
  await admin.get(`/api/sut/${sut}`)
  await admin.get('/api/sut/CaNaRy?x=CaNaRy')
  await admin.get('/CaNaRy')
  await admin.request('PROPFIND', '/api/user/me')
  await service.anyone.get('/api/sut/CaNaRy')
  await service.anyone.get('/health/ready')
  t.deepEqual(
    service.answered.slice(1).map(({ method, route, status }) => `${method} ${route} ${status}`),
    [
      'GET /api/sut/:id 200',
      'GET /api/sut/:id 422',
      'GET none 404',
      'other none 405',
      'GET /api/sut/:id 401',
      'GET /health/ready 200',
    ],
  )
})

test('headers, bodies, queries and credentials are never logged', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const headers = { 'User-Agent': 'CaNaRy', 'Idempotency-Key': 'CaNaRy', Cookie: 'CaNaRy', traceparent: '00-CaNaRy' }
  const sut = await createSut(admin, { password: 'CaNaRy', user_name: 'CaNaRy', description: 'CaNaRy' })
  await admin.post(`/api/sut/${sut}/update?CaNaRy=CaNaRy`, aSut({ CaNaRy: 'CaNaRy' }), headers)
  await admin.request('POST', '/api/sut/create', headers, '{"CaNaRy')
  await service.anyone.get('/api/user/me', { Authorization: basic('CaNaRy', 'CaNaRy password') })
  t.is(service.answered.length, 4)
  t.false(/CaNaRy/i.test(JSON.stringify([service.answered, service.log])))
})

/** Sends an incomplete request, and waits until the service has logged it. */
const sendAndEnd = async (service: Running, bytes: string): Promise<Readonly<Record<string, unknown>>> => {
  const socket = connect({ host: '127.0.0.1', port: service.port })
  // The service may reset a connection that it has not read to its end.
  socket.on('error', () => undefined)
  socket.resume()
  socket.end(bytes)
  await until('the log line', async () => service.answered.length > 0, 60_000)
  // Requests are logged in the order of their answers.
  await service.anyone.get('/health/live')
  if (service.answered.length !== 2) throw new Error(`${service.answered.length} lines`)
  return lineOf(service.answered[0] as RequestSummary)
}

test('an incomplete request is logged once, and is no failure of the service', async (t) => {
  const service = await start(t, { now: NOW })
  const head = ['POST /api/sut/create HTTP/1.1', 'Host: berth', `Authorization: ${basic('admin')}`]
  const body = ['Content-Type: application/json', 'Content-Length: 100', '', '{"name":']
  const line = await sendAndEnd(service, [...head, ...body].join('\r\n'))
  t.deepEqual([line.status, line.code, line.address], [400, 'malformed_request', '127.0.0.1'])
  t.deepEqual(
    service.log.filter(({ level }) => level === 'error'),
    [],
  )
})

test('property: a log line is one line of JSON for any user id and address', (t) => {
  const text = fc.string({ unit: anyCharacter, minLength: 1 })
  fc.assert(
    fc.property(text, text, fc.double({ min: 0, max: 1e6, noNaN: true }), (_id, address, milliseconds) => {
      const answered: RequestSummary = {
        requestId: '01a1fc34-45e9-7e49-9a0d-75c1e9aae5ab',
        traceId: undefined,
        method: 'GET',
        route: '/api/sut/:id',
        status: 200,
        code: undefined,
        milliseconds,
        user: { _id, role: 'tester' },
        address,
      }
      const line = requestLine(answered, 1, 1)
      const { user, address: logged, ms } = JSON.parse(line)
      const isExact = user === _id && logged === address && Math.abs(ms - milliseconds) <= 0.006
      return isExact && line.indexOf('\n') === line.length - 1
    }),
  )
  t.pass()
})

const traces: readonly (readonly [string, string | undefined, string | undefined])[] = [
  ['a trace of version 00', `00-${TRACE}-${PARENT}-01`, TRACE],
  ['unknown flags', `00-${TRACE}-${PARENT}-ff`, TRACE],
  ['a later version', `01-${TRACE}-${PARENT}-01`, TRACE],
  ['a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-comes`, TRACE],
  ['no header', undefined, undefined],
  ['version 00 with more fields', `00-${TRACE}-${PARENT}-01-what-comes`, undefined],
  ['version ff', `ff-${TRACE}-${PARENT}-01`, undefined],
  ['an id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
  ['a short id', `00-${TRACE.slice(1)}-${PARENT}-01`, undefined],
  ['two headers in one', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, undefined],
  ['something else', 'CaNaRy', undefined],
]

test('the trace id of a well-formed header is logged, and of no other', (t) => {
  for (const [what, header, traceId] of traces) t.is(traceIdOf(header), traceId, what)
})

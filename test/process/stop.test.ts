import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { basic } from '../http/client.ts'
import { temporaryData } from '../http/harness.ts'
import { openRaw, type RawConnection } from '../http/server/raw-http.ts'
import { launch, PASSWORD, serve } from './harness.ts'
import { readRows } from './log-rows.ts'

const BODY = '{"name":"half received","address":"10.0.0.1","port":5900,"sut_type":"vnc"}'
const HEAD = `POST /api/sut/create HTTP/1.1\r
Host: berth\r
Authorization: ${basic('admin', PASSWORD)}\r
Content-Type: application/json\r
Content-Length: ${BODY.length}\r
Expect: 100-continue\r
\r
`

/** A request whose head has been received and whose body is incomplete. */
const halfSent = async (port: number): Promise<RawConnection> => {
  const connection = await openRaw(port)
  connection.send(HEAD)
  const { statusLine } = (await connection.answer()) ?? {}
  if (statusLine !== 'HTTP/1.1 100 Continue') throw new Error(`expected 100 Continue, got ${statusLine}`)
  connection.send(BODY.slice(0, 20))
  return connection
}

/** Resolves when connections are refused. */
const refusing = async (port: number): Promise<void> => {
  for (;;) {
    try {
      const connection = await openRaw(port)
      connection.close()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return
    }
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal === 'SIGTERM' ? '' : 'thorough: '}on ${signal} the service refuses connections, answers requests in flight and exits with 0`, async (t) => {
    const data = join(await temporaryData(t), 'data')
    const service = await serve(t, { data })
    const half = await halfSent(service.port)
    const ready = await openRaw(service.port)
    // The second request has begun when the first answer arrives.
    ready.send('GET /health/ready HTTP/1.1\r\nHost: berth\r\n\r\nGET /health/ready HTTP/1.1\r\n')
    t.is((await ready.answer())?.status, 200)

    service.signal(signal)
    await service.line('"msg":"stopping')
    await refusing(service.port)
    ready.send('Host: berth\r\n\r\n')
    half.send(BODY.slice(20))

    t.is((await ready.answer())?.status, 503)
    const answer = await half.answer()
    t.like(answer, { status: 201, headers: { connection: 'close' } })
    t.deepEqual(await service.exited, { code: 0, signal: null })
    t.is(service.errors(), '')
    const made = readRows(join(data, 'events.db')).find(({ type }) => type === 'SutCreated')?.data as { _id: string }
    t.is(answer?.json._id, made._id)
  })
}

test('thorough: shutdown waits up to ten seconds for an incomplete request, then exits with 0', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data })
  const half = await halfSent(service.port)
  const began = performance.now()
  service.signal('SIGTERM')
  const ended = half.ended()
  t.deepEqual(await service.exited, { code: 0, signal: null })
  const seconds = (performance.now() - began) / 1000
  t.true(seconds > 9.5 && seconds < 20, `${seconds} s`)
  t.is(service.errors(), '')
  await ended
  t.is(await half.answer(), undefined)
  t.false(readRows(join(data, 'events.db')).some(({ type }) => type === 'SutCreated'))
})

test('thorough: a stopped service leaves no WAL and no lock owner file, and waits for no idle connection', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data })
  t.is((await service.post('/api/sut/create', JSON.parse(BODY))).status, 201)
  const left = async () => (await readdir(data)).filter((name) => /-wal$|-shm$|\.owner$/.test(name)).toSorted()
  const ofDatabases = ['events', 'views'].flatMap((name) => [`${name}.db-shm`, `${name}.db-wal`])
  t.deepEqual(await left(), ['berth.lock.owner', 'events.db.lock.owner', ...ofDatabases].toSorted())
  const idle = await openRaw(service.port)
  // Connections are accepted in order, so the idle one has been accepted when this one is answered.
  await service.get('/health/live', { Connection: 'close' })
  const began = performance.now()
  t.deepEqual(await service.stop(), { code: 0, signal: null })
  t.is(await idle.answer(), undefined)
  t.true(performance.now() - began < 5_000)
  t.deepEqual(await left(), [])
})

test('thorough: a second signal ends the service at once', async (t) => {
  const service = await serve(t, { data: join(await temporaryData(t), 'data') })
  const half = await halfSent(service.port)
  service.signal('SIGTERM')
  await service.line('"msg":"stopping')
  service.signal('SIGINT')
  t.deepEqual(await service.exited, { code: null, signal: 'SIGINT' })
  t.is(await half.answer(), undefined)
})

test('thorough: a second signal ends a service although one of its threads waits for a file', async (t) => {
  const data = join(await temporaryData(t), 'data')
  await mkdir(data)
  await promisify(execFile)('mkfifo', [join(data, 'instance')])
  const child = launch(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })
  await child.line('created the vault key')
  child.signal('SIGTERM')
  await child.line('"msg":"stopping')
  child.signal('SIGTERM')
  t.deepEqual(await child.exited, { code: null, signal: 'SIGTERM' })
})

test('thorough: a service stopped during its first start exits with 0 and can be started again', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const child = launch(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })
  await child.line('created the vault key')
  child.signal('SIGTERM')
  t.deepEqual(await child.exited, { code: 0, signal: null })
  const service = await serve(t, { data })
  t.deepEqual(await service.stop(), { code: 0, signal: null })
})

import { copyFile, readFile, rename, stat } from 'node:fs/promises'
import { Agent, type RequestOptions, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect, getCiphers, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import { launch, runProcess } from '../../process/harness.ts'
import { basic } from '../client.ts'
import { type Running, type Setting, start, temporaryData } from '../harness.ts'
import { until } from '../until.ts'

const HERE = fileURLToPath(new URL('certificates/', import.meta.url))
const ca = await Promise.all(['first', 'second'].map((name) => readFile(join(HERE, `${name}.cert.pem`))))

/** Puts a pair in place by renaming, the certificate first. */
const put = async (home: string, name: 'first' | 'second', keyOf = name): Promise<void> => {
  for (const [from, to] of [
    [`${name}.cert.pem`, 'cert.pem'],
    [`${keyOf}.key.pem`, 'key.pem'],
  ] as const) {
    await copyFile(join(HERE, from), join(home, `${to}.new`))
    await rename(join(home, `${to}.new`), join(home, to))
  }
}

const withCertificate = async (t: ExecutionContext, setting: Setting = {}) => {
  const home = await temporaryData(t)
  await put(home, 'first')
  const environment = {
    BERTH_TLS_CERT: join(home, 'cert.pem'),
    BERTH_TLS_KEY: join(home, 'key.pem'),
    ...setting.environment,
  }
  const service = await start(t, { ...setting, environment })
  const isReady = async (): Promise<boolean> => (await statusOf(service, { path: '/health/ready' })) === 200
  if (SHARED_STORE !== undefined) await until('ready', isReady, 60_000)
  return { home, service }
}

const handshake = (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca, ...options })
    socket.once('error', reject)
    socket.once('secureConnect', () => resolve(socket))
  })

/** The common name of the certificate on a new connection. */
const shown = async (service: Running): Promise<string> => {
  const socket = await handshake(service.port)
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

const statusOf = (service: Running, options: RequestOptions = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { port } = service
    const headers = { Authorization: basic('admin') }
    const sent = request({
      host: '127.0.0.1',
      port,
      path: '/api/user/me',
      servername: 'localhost',
      ca,
      headers,
      ...options,
    })
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })

/** The cipher suite negotiated with these options. Undefined if there is none. */
const agreed = async ({ port }: Running, options: ConnectionOptions): Promise<string | undefined> => {
  try {
    const socket = await handshake(port, options)
    const { name } = socket.getCipher()
    socket.destroy()
    return name
  } catch {
    return undefined
  }
}

/** Every cipher suite of TLS 1.2 and older that this Node supports, however weak. */
const older = getCiphers()
  .map((name) => name.toUpperCase())
  .filter((name) => !name.startsWith('TLS_'))

test('TLS 1.3 is accepted with each of its suites, TLS 1.2 with ECDHE and AEAD only, and TLS 1.1 not at all', async (t) => {
  const { service } = await withCertificate(t)
  const spoken = await Promise.all(
    older.map((ciphers) => agreed(service, { ciphers: `${ciphers}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' })),
  )
  const names = spoken.filter((name) => name !== undefined)
  t.true(older.length > 30 && names.length > 0, `${names.length} of ${older.length}`)
  for (const name of names) t.regex(name, /^ECDHE-.*(GCM|CHACHA20)/)
  for (const maxVersion of ['TLSv1.1', 'TLSv1'] as const) {
    const old = { minVersion: 'TLSv1', maxVersion, ciphers: 'ALL:@SECLEVEL=0' } as const
    t.is(await agreed(service, old), undefined, maxVersion)
  }
  for (const ciphers of ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']) {
    t.is(await agreed(service, { ciphers, minVersion: 'TLSv1.3' }), ciphers)
  }
})

test('with a certificate and its key connections use TLS, requests are answered, and a client without is cut off', async (t) => {
  const { service } = await withCertificate(t)
  t.is(await statusOf(service, { headers: {} }), 401)
  for (const bytes of ['GET /health/live HTTP/1.1\r\nHost: berth\r\n\r\n', 'garbage'.repeat(10_000)]) {
    const received = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connectPlain({ host: '127.0.0.1', port: service.port })
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text))
      socket.write(bytes)
    })
    t.notRegex(received, /HTTP/)
  }
  t.is(await statusOf(service), 200)
  t.deepEqual(
    service.log.filter(({ level }) => level !== 'info'),
    [],
  )
})

test('a handshake that times out is cut off', async (t) => {
  const { service } = await withCertificate(t, { timeouts: { headers: 500, checkInterval: 20 } })
  const socket = connectPlain({ host: '127.0.0.1', port: service.port })
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.on('close', resolve))
  const isServed = async (): Promise<boolean> => (await statusOf(service).catch(() => 0)) === 200
  await until('a quicker client is served', isServed, 60_000)
  t.pass()
})

test('a new pair is used within 2 s with the same cipher suites, and existing connections continue', async (t) => {
  const { home, service } = await withCertificate(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const kept = () => Object.values(agent.freeSockets).flat()
  t.is(await statusOf(service, { agent }), 200)
  const before = kept()
  t.is(await shown(service), 'first')
  await put(home, 'second')
  await until('the new certificate', async () => (await shown(service)) === 'second', 2000)
  t.is(await statusOf(service, { agent }), 200)
  t.is(before.length, 1)
  t.true(kept().length === 1 && kept()[0] === before[0], 'the same connection')
  t.is(await agreed(service, { ciphers: 'AES128-GCM-SHA256:@SECLEVEL=0', maxVersion: 'TLSv1.2' }), undefined)
})

test('shutdown does not wait for silent connections', async (t) => {
  const { service } = await withCertificate(t)
  const silent = await handshake(service.port)
  const unshaken = connectPlain({ host: '127.0.0.1', port: service.port })
  await new Promise((resolve) => unshaken.once('connect', resolve))
  const closed = [silent, unshaken].map((socket) => {
    socket.on('error', () => undefined)
    return new Promise((resolve) => socket.once('close', resolve))
  })
  await until('both are connected', async () => (await statusOf(service)) === 200, 5000)
  const began = performance.now()
  await service.stop()
  t.true(performance.now() - began < 5_000)
  await Promise.all(closed)
})

test('without TLS a warning is logged on any address except loopback', async (t) => {
  const warningsOf = ({ log }: Running) => log.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence)
  const everywhere = { BERTH_HOST: '0.0.0.0' }
  t.deepEqual(warningsOf(await start(t)), [])
  t.deepEqual(warningsOf(await start(t, { environment: { BERTH_HOST: 'localhost' } })), [])
  t.deepEqual(warningsOf((await withCertificate(t, { environment: everywhere })).service), [])
  const warnings = warningsOf(await start(t, { environment: everywhere }))
  t.is(warnings.length, 1)
  t.regex(warnings[0] as string, /not encrypted.*BERTH_TLS_CERT/)
})

test('thorough: a start with an unusable pair is refused by name before anything is written', async (t) => {
  const home = await temporaryData(t)
  await put(home, 'first', 'second')
  const data = join(home, 'data')
  const env = { BERTH_PORT: '0', BERTH_TLS_CERT: join(home, 'cert.pem'), BERTH_TLS_KEY: join(home, 'key.pem') }
  const { code, errors, output } = await runProcess(t, { data, args: ['serve'], env })
  t.is(code, 2)
  t.regex(errors, /^berth: BERTH_TLS_KEY: the key in .* does not belong to the certificate in .*\n$/)
  t.is(output, '')
  await t.throwsAsync(stat(data), { code: 'ENOENT' })
})

test('thorough: the listening line shows an https URL', async (t) => {
  const home = await temporaryData(t)
  await put(home, 'first')
  const env = { BERTH_PORT: '0', BERTH_TLS_CERT: join(home, 'cert.pem'), BERTH_TLS_KEY: join(home, 'key.pem') }
  const child = launch(t, { data: join(home, 'data'), args: ['serve'], env })
  const { url } = JSON.parse(await child.line('"msg":"listening"')) as { url: string }
  t.regex(url, /^https:\/\/127\.0\.0\.1:\d+$/)
  child.signal('SIGTERM')
  t.deepEqual(await child.exited, { code: 0, signal: null })
})

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { areInstalled } from '../gateway/rfb/xvnc.ts'
import { passwordOf } from '../http/client.ts'
import { start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { LINES, readLines } from './readers.ts'

/** curl behind nginx, where both ends speak HTTP/1.0: the end of a body is the end of its connection. */

const run = promisify(execFile)

/** Passes connections on to a port, until this many bytes have come back from it. */
const startCutter = async (t: ExecutionContext, port: number, bytesMax: () => number): Promise<number> => {
  const server = createServer((client) => {
    const service = connect({ host: '127.0.0.1', port })
    let left = bytesMax()
    client.on('error', () => undefined).pipe(service.on('error', () => undefined))
    service.on('end', () => client.end())
    service.on('data', (bytes: Buffer) => {
      client.write(bytes.subarray(0, left))
      left -= bytes.length
      if (left > 0) return
      client.end()
      service.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

const startNginx = async (t: ExecutionContext, upstream: number): Promise<string> => {
  const folder = await temporaryData(t)
  const socket = join(folder, 'nginx.sock')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`).join(' ')}
  server { listen unix:${socket}; location / { proxy_http_version 1.0; proxy_pass http://127.0.0.1:${upstream}; } }
}
`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`], { stdio: 'ignore' })
  t.teardown(async () => {
    nginx.kill('SIGKILL')
    await once(nginx, 'close')
  })
  await until('nginx listens', async () => existsSync(socket), 60_000)
  return socket
}

test('to curl behind nginx in HTTP/1.0 a cut transfer looks whole, and only its last line tells', async (t) => {
  if (!areInstalled(t, 'nginx', 'curl')) return
  const service = await start(t)
  for (let i = 0; i < 8; i++) await createSut(service.as('admin'))
  let bytesMax = Number.POSITIVE_INFINITY
  const socket = await startNginx(t, await startCutter(t, service.port, () => bytesMax))
  const curl = async () => {
    const credentials = `audrey:${passwordOf('audrey')}`
    const how = ['--http1.0', '--unix-socket', socket, '-sS', '-i', '-u', credentials, '-H', `Accept: ${LINES}`]
    // It rejects unless curl exits with 0.
    const { stdout } = await run('curl', [...how, 'http://berth.example/api/events'])
    const [head = '', body = ''] = stdout.split('\r\n\r\n')
    return { position: /^Berth-Position: (\d+)/im.exec(head)?.[1], head, body }
  }
  const whole = await curl()
  t.notRegex(whole.head, /^(content-length|transfer-encoding):/im)
  t.is(whole.body.split('\n').at(-2), `{"checkpoint":{"sequence":"${whole.position}"}}`)
  bytesMax = 4_000
  const cut = await curl()
  t.true(cut.body.length > 2_000 && cut.body.length < whole.body.length)
  t.is(cut.position, whole.position)
  t.false(readLines(cut.body).messages.some(({ kind }) => kind === 'checkpoint'))
})

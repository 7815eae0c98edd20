/** Runs the files of the guide in real proxies, for plain HTTP and at other ports. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { forwarding, openAt, running, SOON, ticketFor, type Viewer } from '../gateway/console/stage.ts'
import { freePort } from '../gateway/peers.ts'
import { chapter } from '../guide/documents.ts'
import { basic, type Headers } from '../http/client.ts'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'

/** Where requests come from: not the address of the proxy, which is trusted. */
const CLIENT = '127.0.0.2'

const fileOf = (info: string, replaced: readonly (readonly [string, string])[]): string => {
  const code = chapter('deploying.md').blocks.find((block) => block.info === info)?.code ?? ''
  return replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${info}: there is no ${from}`)
    return text.replaceAll(from, to)
  }, code)
}

/** How a proxy is run in a folder: its arguments, and its file between two ports. */
interface Proxy {
  readonly args: (folder: string) => readonly string[]
  readonly file: (folder: string, port: number, to: string) => string
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  caddy: {
    args: () => ['run', '--adapter', 'caddyfile', '--config', 'proxy.conf'],
    file: (_folder, port, to) =>
      `{\nadmin off\n}\n${fileOf('caddyfile', [
        ['berth.lab.example', `http://127.0.0.1:${port}`],
        ['127.0.0.1:8080', to],
      ])}`,
  },
  nginx: {
    args: (folder) => ['-p', folder, '-c', join(folder, 'proxy.conf'), '-e', 'stderr', '-g', 'daemon off;'],
    file: (folder, port, to) => {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
      const server = fileOf('nginx', [
        ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
        ['ssl_certificate /etc/ssl/berth.pem;', ''],
        ['ssl_certificate_key /etc/ssl/berth.key;', ''],
        ['127.0.0.1:8080', to],
      ])
      return `pid ${folder}/pid;\nevents {}\nhttp { access_log off;\n${paths.join('\n')}\n${server}\n}`
    },
  },
}

/** Begins a request from the client's address. */
const ask = async (url: string, path: string, headers: Headers = {}): Promise<IncomingMessage> => {
  const options = {
    localAddress: CLIENT,
    agent: false as const,
    headers: { Authorization: basic('alice'), ...headers },
  }
  const [response] = await once(get(url + path, options), 'response')
  return response as IncomingMessage
}

const runProxy = async (t: ExecutionContext, name: string, { args, file }: Proxy, to: string): Promise<string> => {
  const [folder, port] = [await temporaryData(t), await freePort()]
  await writeFile(join(folder, 'proxy.conf'), file(folder, port, to))
  const child = spawn(name, args(folder), { cwd: folder, env: { ...process.env, HOME: folder }, stdio: 'ignore' })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = async () => (await ask(url, '/health/live').catch(() => undefined))?.statusCode === 200
  await until(`${name} answers`, isUp, SOON)
  return url
}

for (const [name, proxy] of Object.entries(PROXIES)) {
  test(`${name} as the guide sets it up passes on addresses, streams and consoles`, async (t) => {
    if (spawnSync(name, ['-v']).error) return void t.pass(`${name} is not installed`)
    const stage = await forwarding(t, {}, { environment: { BERTH_TRUSTED_PROXIES: '127.0.0.1' } })
    const { service } = stage
    const url = await runProxy(t, name, proxy, `127.0.0.1:${service.port}`)

    // An address that the client has made up is not taken for its own.
    const answer = await ask(url, '/api/user/me', { 'X-Forwarded-For': '192.0.2.7' })
    t.is(answer.statusCode, 200)
    t.is(service.answered.at(-1)?.address, CLIENT)

    // Host is passed on: a page of the same address may write, one of another may not.
    const post = (origin: string) =>
      fetch(`${url}/api/login`, {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/json' },
        body: '{}',
      })
    t.deepEqual([(await post(url)).status, (await post('http://other.test')).status], [422, 403])

    const stream = await ask(url, '/api/changes', { Accept: 'text/event-stream' })
    t.regex(String(stream.headers['content-type']), /^text\/event-stream/)
    const path = await running(stage)
    let told = ''
    for await (const bytes of stream) {
      told += bytes
      if (told.includes(path.split('/').at(-1) ?? '')) break
    }
    t.regex(told, /^(?:event|data|id|retry|:)/)

    const opened = await openAt(t, { service: { url } }, await ticketFor(stage, path), { origin: url }, ['binary'])
    t.true('socket' in opened)
    t.is((opened as Viewer).socket.protocol, 'binary')
    const connection = async () => (await (await ask(url, `${path}/connection`)).toArray()).join('')
    await until('the connection is counted', async () => (await connection()).includes('"connections":1'), SOON)
  })
}

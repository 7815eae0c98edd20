import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../gateway/peers.ts'
import { basic, type Client, connectTo } from '../http/client.ts'
import { temporaryData } from '../http/harness.ts'
import { aSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { COMPILED, PASSWORD, ROOT, serve } from './harness.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly route?: string
  readonly status?: number
}

const linesIn = (output: string): readonly Line[] =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const answeredIn = (output: string): readonly Line[] => linesIn(output).filter(({ msg }) => msg === 'answered')

test('a stopped service has logged every request it answered', async (t) => {
  // "serve" ignores what says which service commands ask.
  const service = await serve(t, { data: await temporaryData(t), env: { BERTH_URL: 'wrong' } })
  const requests = Array.from({ length: 300 }, () => service.get('/api/user/me'))
  for (const { status } of await Promise.all(requests)) t.is(status, 200)
  t.is((await service.stop()).code, 0)
  t.is(answeredIn(service.output()).filter(({ route }) => route === '/api/user/me').length, 300)
  t.is(linesIn(service.output()).at(-1)?.msg, 'stopped')
})

test('thorough: a service that cannot continue logs every request it answered, and why it stops', async (t) => {
  const data = await temporaryData(t)
  const service = await serve(t, { data })
  t.is((await service.post('/api/sut/create', aSut())).status, 201)
  const stranger = new DatabaseSync(join(data, 'events.db'))
  stranger.exec('INSERT INTO event SELECT position + 1, NULL, recorded, leaf FROM event ORDER BY position DESC LIMIT 1')
  stranger.close()
  await service.post('/api/sut/create', aSut()).catch(() => undefined)
  t.is((await service.exited).code, 1)
  const statuses = answeredIn(service.output()).flatMap(({ route, status }) =>
    route === '/api/sut/create' ? status : [],
  )
  t.deepEqual(statuses, [201, 503])
  const fatal = linesIn(service.output()).find(({ level }) => level === 60)
  t.is(fatal?.msg, 'the service cannot continue')
})

test('thorough: at level warn no request is logged', async (t) => {
  const quiet = await started(t, 'pipe', { BERTH_LOG_LEVEL: 'warn', BERTH_PORT: String(await freePort()) })
  let output = ''
  quiet.child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  await untilReady(quiet.client)
  t.is(await ended(quiet.child), 0)
  t.is(output, '')
})

interface Started {
  readonly child: ChildProcess
  readonly client: Client
}

/** Starts the service with the given standard output. */
const started = async (t: ExecutionContext, stdout: 'pipe' | number, env: Record<string, string>): Promise<Started> => {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'serve'], {
    env: {
      ...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED },
      ...{ BERTH_DATA: await temporaryData(t), BERTH_ADMIN_PASSWORD: PASSWORD, ...env },
    },
    stdio: ['ignore', stdout, 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const connections = connectTo(Number(env.BERTH_PORT))
  t.teardown(connections.close)
  return { child, client: connections.client({ Authorization: basic('admin', PASSWORD) }) }
}

const untilReady = (client: Client): Promise<void> => {
  const isReady = async () => (await client.get('/health/ready').catch(() => undefined))?.status === 200
  return until('it is ready', isReady, 60_000)
}

const ended = async (child: ChildProcess): Promise<number | null> => {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  return code
}

const destinations: readonly (readonly [string, (t: ExecutionContext) => 'pipe' | number])[] = [
  ['a full disk', () => openSync('/dev/full', 'w')],
  ['a closed pipe', () => 'pipe'],
  ['a pipe that nobody reads', () => 'pipe'],
]
for (const [what, destination] of destinations) {
  test(`thorough: with its log on ${what} the service keeps answering, counts lost lines and stops cleanly`, async (t) => {
    const { child, client } = await started(t, destination(t), { BERTH_PORT: String(await freePort()) })
    await untilReady(client)
    if (what === 'a closed pipe') child.stdout?.destroy()
    for (let i = 0; i < 20; i++) {
      const requests = Array.from({ length: 50 }, () => client.get('/api/user/me'))
      for (const { status } of await Promise.all(requests)) t.is(status, 200)
    }
    if (what !== 'a pipe that nobody reads') {
      const lost = async (): Promise<number> =>
        Number(/^berth_log_lines_lost_total (\d+)$/m.exec((await client.get('/metrics')).text)?.[1])
      await until('lines are lost', async () => (await lost()) > 100, 60_000)
    }
    t.is(await ended(child), 0)
  })
}

test('log lines can be read from a pipe as they are written', async (t) => {
  const { child, client } = await started(t, 'pipe', { BERTH_PORT: String(await freePort()) })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const seen = new Promise<Line>((resolve) => {
    lines.on('line', (line) => {
      const read = JSON.parse(line) as Line
      if (read.msg === 'answered') resolve(read)
    })
  })
  await untilReady(client)
  t.is((await seen).route, '/health/ready')
})

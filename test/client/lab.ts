import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runClient } from '../../src/client/client.ts'
import { LIMITS, type Limits } from '../../src/client/service/limits.ts'
import { freePorts, startSut } from '../gateway/peers.ts'
import { type Running, type Setting, start, type Tidying, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'

/** A Node that a pipeline may have, older than the project's own, where this machine has one. */
export const NODE = ['/usr/bin/node', '/usr/local/bin/node'].find(existsSync) ?? process.execPath

export type Variables = Readonly<Record<string, string | undefined>>

/** A service with its client, and with machines that echo. */
export interface Lab {
  readonly service: Running
  /** The machines are named `lab-1` and so on, and have the tags `rack=4` and `n=1` and so on. */
  readonly suts: readonly string[]
  /** The file that the service hands out. */
  readonly file: string
  /** Where the machines are offered. */
  readonly ports: Readonly<Record<'BERTH_LISTEN_PORTS', string>>
  readonly folder: string
  /** The environment of a pipeline of Alice's. */
  readonly env: Variables
}

export const startLab = async (t: Tidying, machines = 1, setting: Setting = {}): Promise<Lab> => {
  const [folder, ports] = [await temporaryData(t), await freePorts(Math.max(machines, 1))]
  const own = { BERTH_LISTEN_PORTS: `${ports[0]}-${ports.at(-1)}` }
  const environment = { BERTH_GATEWAY: 'on', ...own, ...setting.environment }
  const service = await start(t, { ...setting, environment })
  const ticking = setInterval(service.tick, 20)
  t.teardown(() => clearInterval(ticking))
  const { port } = await startSut(t, (socket) => socket.pipe(socket))
  const suts: string[] = []
  for (let n = 1; n <= machines; n += 1) {
    const more = { name: `lab-${n}`, address: '127.0.0.1', port, sut_type: 'tcp', tags: { rack: '4', n: String(n) } }
    suts.push(await createSut(service.as('admin'), more))
  }
  const file = join(folder, 'berth.mjs')
  await writeFile(file, (await service.anyone.get('/client/berth.mjs')).text)
  const { token } = (await service.as('alice').post('/api/user/me/token', { name: 'nightly' })).json
  return { service, suts, file, folder, ports: own, env: { BERTH_URL: service.url, BERTH_TOKEN: String(token) } }
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly errors: string
}

/** What a process prints, as it does, and how it ends. */
export const watch = (child: ChildProcessWithoutNullStreams) => {
  const output = { out: '', errors: '' }
  const looking = new Set<() => void>()
  const add = (name: 'out' | 'errors') => (text: string) => {
    output[name] += text
    for (const look of looking) look()
  }
  child.stdout.setEncoding('utf8').on('data', add('out'))
  child.stderr.setEncoding('utf8').on('data', add('errors'))
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? -Number(signal !== null), ...output }))
  })
  /** Resolves when the output contains the text. */
  const said = async (text: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      if (output.out.includes(text) || output.errors.includes(text)) resolve()
    }
    looking.add(look)
    look()
    const early = ended.then((ran) => {
      throw new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(ran)}`)
    })
    await Promise.race([promise, early])
    looking.delete(look)
  }
  return { child, output, said, ended }
}

/** Runs the file that the service hands out, in a process of its own. Its input is the text. */
export const runFile = (t: Tidying, { file, env }: Pick<Lab, 'file' | 'env'>, args: readonly string[], input = '') => {
  const child = spawn(NODE, [file, ...args], { env: { PATH: process.env.PATH, ...env } })
  t.teardown(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined).end(input)
  return watch(child)
}

/** Runs the client in this process, which costs a tenth of one of its own. Programs that it runs write to files. */
export const runHere = async (args: readonly string[], env: Variables, limits: Partial<Limits> = {}): Promise<Ran> => {
  const output = { out: '', errors: '' }
  const write = (name: 'out' | 'errors') => (text: string) => {
    output[name] += text
  }
  const short = { ...LIMITS, outageMs: 0, retryMs: 20, keepMs: 20, portMs: 60_000, ...limits }
  const code = await runClient(
    args,
    { PATH: process.env.PATH, ...env },
    { stdout: write('out'), stderr: write('errors') },
    { limits: short },
  )
  return { code, ...output }
}

interface Recorded {
  readonly type: string
  readonly time: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What became of the reservations of the nth machine: the types of events, or something else of those that have it. */
export const historyOf = async (
  { service, suts }: Lab,
  n: number,
  show?: (data: Recorded['data'], type: string, time: string) => unknown,
): Promise<readonly unknown[]> => {
  const { json } = await service.as('admin').get(`/api/sut/${suts[n - 1]}/history?limit=1000`)
  const shown = (json.events as readonly Recorded[]).map(
    ({ type, data, time }) => show?.(data, type, time) ?? shownAs(type),
  )
  return shown.filter((each) => (show !== undefined ? typeof each === 'number' : SHOWN.includes(String(each))))
}

/** What becomes of a machine that was had, and given back. */
export const HELD = ['ReservationCreated', 'ReservationReleased']

/** What is given back within its first second has not begun: it is cancelled. */
const shownAs = (type: string): string =>
  type.replace('berth.', '').replace('ReservationCancelled', 'ReservationReleased')

const SHOWN = ['ReservationCreated', 'ReservationExtended', 'ReservationReleased']

/** `reserve` for half an hour of the nth machine. */
export const reserving = (n: number, ...args: readonly string[]): readonly string[] => [
  ...['reserve', '--match', 'tag.rack=3,4', '--match', `tag.n=${n}`, '--for', '30m'],
  ...args,
]

let held = 0

/** Runs a COMMAND on the nth machine. Resolves once it runs, with the function that lets it end, and waits for that. */
export const hold = async (
  t: Tidying,
  lab: Lab,
  n: number,
  {
    options = [],
    env = lab.env,
    limits = {},
    exitCode = 0,
  }: { options?: readonly string[]; env?: Variables; limits?: Partial<Limits>; exitCode?: number } = {},
): Promise<() => Promise<Ran>> => {
  const [begun, done] = [join(lab.folder, `begun-${++held}`), join(lab.folder, `done-${held}`)]
  const script = `touch ${begun}; until [ -e ${done} ]; do sleep 0.05; done; exit ${exitCode}`
  // Also where the test fails: it would never end.
  t.teardown(() => writeFile(done, ''))
  const holding = runHere(reserving(n, ...options, '--', 'sh', '-c', script), env, limits)
  await until('COMMAND runs', async () => existsSync(begun), 60_000)
  return async () => {
    await writeFile(done, '')
    return holding
  }
}

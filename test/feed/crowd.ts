import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { basic, type Client, passwordOf } from '../http/client.ts'
import type { Tidying } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { serve } from '../process/harness.ts'
import type { CrowdOrder, CrowdReport } from './crowd-worker.ts'
import { dataWithLog, startWithLog, VAULT } from './log-file.ts'
import { readEventStream } from './readers.ts'

/** 24 MB, more than the buffers between a service and a reader on the same machine. */
export const LARGE = { count: 1_200, characters: 4_000 }
const AUTHORIZATION = basic('audrey')

/** A reader that requests everything and reads nothing. */
export const stall = async (port: number, accept = 'text/event-stream'): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(
    `GET /api/events HTTP/1.1\r\nHost: berth\r\nConnection: close\r\nAccept: ${accept}\r\nAuthorization: ${AUTHORIZATION}\r\n\r\n`,
  )
  return socket
}

/** Removes the framing of chunked transfer. */
const dechunked = (body: string): string => body.replace(/\r\n[0-9a-f]+\r\n/g, '')

/** The number of events that a stalled reader finally reads, and the error code at the end. */
const foundBy = async (socket: Socket) => {
  const { messages } = readEventStream(dechunked(await text(socket)))
  return { events: messages.length - 1, why: JSON.parse(messages.at(-1)?.data ?? '{}').code as string | undefined }
}

const gather = async (scope: Tidying, order: CrowdOrder): Promise<() => Promise<CrowdReport>> => {
  const worker = new Worker(new URL('./crowd-worker.ts', import.meta.url), { workerData: order })
  scope.teardown(async () => void (await worker.terminate()))
  await once(worker, 'message')
  return async () => {
    const [report] = await Promise.all([once(worker, 'message'), worker.postMessage('report')])
    return report[0] as CrowdReport
  }
}

interface Writing {
  readonly writes: number
  /** Milliseconds between writes. */
  readonly pause: number
}

/** The duration of each write, in milliseconds. */
const timesOf = async (client: Client, sut: string, { writes, pause }: Writing): Promise<readonly number[]> => {
  const times: number[] = []
  for (let n = 0; n < writes; n++) {
    const began = performance.now()
    const { status, text } = await client.post(`/api/sut/${sut}/update`, { description: `${Math.random()}` })
    times.push(performance.now() - began)
    if (status !== 200) throw new Error(text)
    await delay(Math.max(0, pause - (times[n] as number)))
  }
  return times
}

export const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] as number

export interface CrowdSetting extends Writing {
  readonly readers: number
}

const problemsOf = ({ received, problems }: CrowdReport, expected: number): readonly string[] =>
  received === expected ? problems : [...problems, `${received} of ${expected} events were received`]

const cutOffsIn = (metrics: string): number => Number(/cut_offs_total\{why="too_slow"\} (\d+)/.exec(metrics)?.[1])

/** Readers that follow the log, and a stalled one, with the service in this process. */
export const crowdAround = async (
  scope: Tidying,
  { stallTimeout, ...setting }: CrowdSetting & { stallTimeout: number },
) => {
  const service = await startWithLog(scope, LARGE, { now: NOW, feed: { stallTimeout, checkInterval: 50 } })
  const admin = service.as('admin')
  const sut = await createSut(admin)
  const order = { port: service.port, authorization: AUTHORIZATION, readers: setting.readers, after: LARGE.count + 7 }
  const report = await gather(scope, order)
  const stalled = await stall(service.port)
  await timesOf(admin, sut, setting)
  const expected = setting.readers * setting.writes
  await until('all events are received', async () => (await report()).received >= expected, 60_000)
  await until(
    'the stalled reader is disconnected',
    async () => cutOffsIn((await admin.get('/metrics')).text) === 1,
    20_000,
  )
  // What it is told last waits for it as long as it may stall.
  const found = await foundBy(stalled)
  const { received, problems } = await report()
  return { received, problems, stalled: found }
}

/** Resident memory of a process, in bytes. */
const residentOf = async (pid: number): Promise<number> =>
  1_024 * Number(/VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])

/** The same with the service in its own process: the effect on write latency and memory. */
export const costOfCrowd = async (scope: Tidying, setting: CrowdSetting) => {
  const data = await dataWithLog(scope, LARGE.count, LARGE.characters)
  const service = await serve(scope, { data, env: VAULT })
  const admin = service.as('admin', passwordOf('admin'))
  const sut = await createSut(admin)
  await timesOf(admin, sut, { writes: 200, pause: 0 })
  const alone = await timesOf(admin, sut, setting)
  const order = { port: service.port, authorization: AUTHORIZATION, readers: setting.readers }
  const before = await residentOf(service.pid)
  const report = await gather(scope, { ...order, after: LARGE.count + 7 + 200 + setting.writes })
  const stalled = await stall(service.port)
  const beside = await timesOf(admin, sut, setting)
  const expected = setting.readers * setting.writes
  await until('all events are received', async () => (await report()).received >= expected, 60_000)
  const grown = (await residentOf(service.pid)) - before
  await until(
    'the stalled reader is disconnected',
    async () => cutOffsIn((await admin.get('/metrics')).text) === 1,
    60_000,
  )
  stalled.destroy()
  const problems = problemsOf(await report(), expected)
  return { alone: p99(alone), beside: p99(beside), ratio: p99(beside) / p99(alone), grown, problems }
}

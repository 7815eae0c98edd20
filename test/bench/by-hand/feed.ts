import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { dataWithLog, VAULT } from '../../feed/log-file.ts'
import { start, tidyingLater } from '../../http/harness.ts'
import { aUser } from '../../users/builders.ts'
import { quantile, type Server, startServer } from '../measure/processes.ts'
import { authorization, MAIN, makeSuts, PASSWORD } from '../servers/berth.ts'

/**
 * Throughput and latency of the feed: events per second for one reader catching up and for ten together, and the time
 * from decision to delivery of live events with ten subscribers during creates. Readers run in a worker thread.
 */

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '1000' },
  },
  strict: isMainThread,
})
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

interface Order {
  readonly url: string
  readonly readers: number
  readonly query: string
  readonly accept: string
}

const open = async ({ url, query, accept }: Order): Promise<IncomingMessage> => {
  const asked = get(`${url}/api/events${query}`, { headers: { authorization, accept }, agent: new Agent() })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}`)
  return response
}

/** The time in milliseconds for readers to read everything, and the number of bytes. */
const readAll = async (order: Order) => {
  const began = performance.now()
  const sizes = await Promise.all(
    Array.from({ length: order.readers }, async () => {
      let bytes = 0
      const response = await open(order)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      await once(response, 'end')
      return bytes
    }),
  )
  return { milliseconds: performance.now() - began, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The delivery time of each event to each reader, in milliseconds; posted when the main thread requests it. */
const follow = async (order: Order): Promise<void> => {
  const times: number[] = []
  const responses = await Promise.all(Array.from({ length: order.readers }, () => open(order)))
  for (const response of responses) {
    response.setEncoding('latin1').on('data', (text: string) => {
      const now = Date.now()
      for (const [, time] of text.matchAll(/"time":"([^"]{24})"/g)) times.push(now - Date.parse(time as string))
    })
  }
  parentPort?.postMessage('open')
  parentPort?.once('message', () => {
    parentPort?.postMessage(times)
    for (const response of responses) response.destroy()
  })
}

const inThread = async <A>(order: Order): Promise<{ readonly worker: Worker; readonly first: A }> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: order })
  const [first] = (await once(worker, 'message')) as [A]
  return { worker, first }
}

const catchUp = async (url: string): Promise<void> => {
  const events = Number(values.events)
  const perSecond = async (readers: number): Promise<number> => {
    const order = { url, readers, query: '', accept: 'application/x-ndjson' }
    const { worker, first } = await inThread<{ milliseconds: number; bytes: number }>(order)
    await worker.terminate()
    return (readers * events * 1_000) / first.milliseconds
  }
  await perSecond(1)
  const rounds: { one: number; ten: number }[] = []
  for (let i = 0; i < Number(values.rounds); i++) rounds.push({ one: await perSecond(1), ten: await perSecond(10) })
  const middle = (numbers: readonly number[]): number => quantile(numbers, 0.5)
  const [one, ten] = [middle(rounds.map((round) => round.one)), middle(rounds.map((round) => round.ten))]
  const ratio = middle(rounds.map((round) => round.ten / round.one))
  say(`catching up with ${events} events: one reader ${Math.round(one)} a second, ten together ${Math.round(ten)}`)
  say(`${ratio.toFixed(2)} times as many (bound: 5)`)
}

const QUARTER = 900_000

/** Creates at a fixed rate, without waiting for answers; returns the duration of each in milliseconds. */
const write = async (url: string, suts: readonly string[]): Promise<readonly number[]> => {
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)]
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const first = Math.ceil(Date.now() / 86_400_000 + 1) * 86_400_000
  const times: number[] = []
  const one = async (n: number): Promise<void> => {
    const start = first + Math.floor(n / suts.length) * QUARTER
    const [start_time, end_time] = [start, start + QUARTER].map((at) => new Date(at).toISOString())
    const body = JSON.stringify({ sut_id: suts[n % suts.length], user_id: 'id-of-admin', start_time, end_time })
    const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const began = performance.now()
    const sent = request(`${url}/api/sut_reservation/create`, { method: 'POST', agent, headers }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    times.push(performance.now() - began)
    if (response.statusCode !== 201) throw new Error(`${response.statusCode}`)
  }
  const began = performance.now()
  const inFlight: Promise<void>[] = []
  while (inFlight.length < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - began) / 1_000) * rate)
    while (inFlight.length < due) inFlight.push(one(inFlight.length))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(inFlight)
  agent.destroy()
  return times
}

const live = async (server: Server): Promise<void> => {
  const suts = await makeSuts(server, 100)
  const me = { url: server.url, readers: 10, accept: 'text/event-stream' }
  // Start after all existing events, to measure only new ones.
  const head = await fetch(`${server.url}/api/events`, { method: 'HEAD', headers: { authorization } })
  const { worker } = await inThread({ ...me, query: `?after=${head.headers.get('berth-position')}` })
  const answers = await write(server.url, suts)
  await new Promise((resolve) => setTimeout(resolve, 500))
  worker.postMessage('times')
  const [times] = (await once(worker, 'message')) as [number[]]
  await worker.terminate()
  say(
    `${values.rate} creates a second for ${values.seconds} s: answered in ${quantile(answers, 0.99).toFixed(1)} ms at p99`,
  )
  say(`${times.length} events delivered to ten subscribers, of ${10 * answers.length}`)
  say(`within ${quantile(times, 0.5)} ms at p50, ${quantile(times, 0.99)} ms at p99 (bound: 50)`)
}

const main = async (): Promise<void> => {
  const scope = tidyingLater()
  try {
    const data = await dataWithLog(scope, Number(values.events), 10)
    const firstUsers = [await aUser('admin', PASSWORD, { role: 'administrator' })]
    await (await start(scope, { data, firstUsers, environment: VAULT })).stop()
    const environment = { ...VAULT, BERTH_DATA: data, BERTH_PORT: '0', BERTH_LOG_LEVEL: 'info' }
    const server = await startServer([MAIN, 'serve'], environment)
    scope.teardown(server.stop)
    while ((await fetch(`${server.url}/health/ready`)).status !== 200);
    await catchUp(server.url)
    await live(server)
  } finally {
    await scope.tidy()
  }
}

if (isMainThread) await main()
else {
  const order = workerData as Order
  if (order.accept === 'text/event-stream') await follow(order)
  else parentPort?.postMessage(await readAll(order))
}

import { connect, type Socket } from 'node:net'
import { type Running, start, type Tidying } from './harness.ts'

/** Milliseconds between two bytes of a slow client. */
const DRIP_EVERY = 1_000
/** What slow clients have begun, before they send a byte at a time. */
const BEGINNINGS = [
  'GET /api/user/me HTTP/1.1\r\nHost: berth\r\nX: ',
  'POST /api/sut/create HTTP/1.1\r\nHost: berth\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n',
]

export interface SlowClients {
  /** Connections that say nothing. */
  readonly idle: number
  /** Those that send a byte a second: half of them of a header, half of a body. */
  readonly dripping: number
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket))
    socket.once('error', reject)
  })

/** Slow clients that take the place of those that were cut off, until the function returned is called. */
const besiege = async (port: number, { idle, dripping }: SlowClients): Promise<() => void> => {
  let isOver = false
  const all = new Set<Socket>()
  const come = async (beginning: string | undefined): Promise<void> => {
    const socket = await open(port)
    all.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
    if (beginning !== undefined) socket.write(beginning)
    const timer = beginning === undefined ? undefined : setInterval(() => socket.write('a'), DRIP_EVERY)
    socket.once('close', () => {
      clearInterval(timer)
      all.delete(socket)
      if (!isOver) void come(beginning).catch(() => undefined)
    })
  }
  await Promise.all([
    ...Array.from({ length: idle }, () => come(undefined)),
    ...Array.from({ length: dripping }, (_, n) => come(BEGINNINGS[n % 2])),
  ])
  return () => {
    isOver = true
    for (const socket of all) socket.destroy()
  }
}

const latencies = async (service: Running, requests: number): Promise<number[]> => {
  const client = service.as('admin')
  const times: number[] = []
  for (let i = 0; i < requests; i++) {
    const begun = performance.now()
    const { status } = await client.get('/api/sut')
    times.push(performance.now() - begun)
    if (status !== 200) throw new Error(`a good client was answered ${status}`)
  }
  return times
}

const quantile = (times: readonly number[], q: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * q)] as number

export interface Compared {
  /** Milliseconds of a good client's request, without slow clients and beside them. */
  readonly alone: { readonly p50: number; readonly p99: number }
  readonly beside: { readonly p50: number; readonly p99: number }
  /** Of the medians. */
  readonly ratio: number
}

/** Latencies of a good client, in turns without and with slow clients around it. */
export const besideSlowClients = async (
  scope: Tidying,
  slow: SlowClients,
  { rounds, requests }: { readonly rounds: number; readonly requests: number },
): Promise<Compared> => {
  const service = await start(scope)
  await latencies(service, requests)
  const times: { alone: number[]; beside: number[] } = { alone: [], beside: [] }
  for (let i = 0; i < rounds; i++) {
    times.alone.push(...(await latencies(service, requests)))
    const lift = await besiege(service.port, slow)
    times.beside.push(...(await latencies(service, requests)))
    lift()
  }
  const [alone, beside] = [times.alone, times.beside].map((all) => ({
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
  }))
  if (alone === undefined || beside === undefined) throw new Error('nothing was measured')
  return { alone, beside, ratio: beside.p50 / alone.p50 }
}

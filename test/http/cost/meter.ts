import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Tidying } from '../harness.ts'

/** The CPU time that a request costs the thread that serves it, which other load on the machine hardly affects. */
export interface Cost {
  readonly status: number
  /** Milliseconds, the median of the rounds. */
  readonly cpu: number
}

export interface Meter {
  readonly costOf: (port: number, bytes: Uint8Array, rounds?: number) => Promise<Cost>
}

/** Linux updates the CPU time of a thread when it sleeps. Until then up to 4 ms are missing. */
const spent = async (): Promise<number> => {
  await sleep(1)
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

/** Measures servers on the calling thread. */
export const openMeter = (t: Tidying): Meter => {
  const worker = new Worker(new URL('./send-from-thread.ts', import.meta.url))
  t.teardown(async () => void (await worker.terminate()))
  const round = async (port: number, bytes: Uint8Array): Promise<Cost> => {
    const before = await spent()
    const answered = once(worker, 'message')
    worker.postMessage({ port, bytes })
    const [status] = await answered
    return { status, cpu: (await spent()) - before }
  }
  return {
    costOf: async (port, bytes, rounds = 1) => {
      const costs: Cost[] = []
      for (let i = 0; i < rounds; i++) costs.push(await round(port, bytes))
      return { status: costs[0]?.status ?? 0, cpu: median(costs.map(({ cpu }) => cpu)) }
    },
  }
}

/** A server that reads requests and ignores them, to measure the cost of reading their bytes once. */
export const startReader = async (t: Tidying): Promise<number> => {
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    request.on('end', () => response.end('{}'))
    request.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

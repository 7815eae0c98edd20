import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { freePort } from '../../gateway/peers.ts'
import { idOf, start, type Tidying, tidyingLater } from '../../http/harness.ts'
import { aReservation, createSut, NOW, REFUSING, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import type { TableRow } from '../measure/table.ts'
import { type Costly, costlyRequests, type Things } from './requests.ts'

/** CPU time on the main thread of especially expensive requests, which other load on the machine hardly affects. */

/** Rounds for a request that seems expensive. */
const ROUNDS = 5
/** Milliseconds above which a request is measured again. */
const EXPENSIVE = 1
/** Milliseconds, without credentials and with them. */
const [OPEN_MS_MAX, KNOWN_MS_MAX] = [5, 20]
/** Multiples of the CPU time of reading the same bytes once, without credentials and with them: 24 and 50 were measured. */
const [OPEN_MAX, KNOWN_MAX] = [30, 60]
/** Multiple of the CPU time of a request of half the size, without the step of the clock, in milliseconds. */
const [GROWTH_MAX, STEP] = [2.5, 2]
/** How many of the costliest are compared with that, of those without credentials and of the others. */
const COSTLIEST = 20
/** How often a figure that is too large is measured again: other load on the machine can only raise it. */
const [RETRIES, ROUNDS_AGAIN] = [8, 3]

/** Linux updates the CPU time of a thread when it sleeps. Until then up to 4 ms are missing. */
const spent = async (): Promise<number> => {
  await sleep(1)
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The CPU time, in milliseconds, that bytes cost the server on this thread: the median of the rounds. */
const openMeter = (t: Tidying) => {
  const worker = new Worker(new URL('./send-from-thread.ts', import.meta.url))
  t.teardown(async () => void (await worker.terminate()))
  return async (port: number, bytes: Uint8Array, rounds = 1): Promise<number> => {
    const costs: number[] = []
    for (let n = 0; n < rounds; n++) {
      const before = await spent()
      const answered = once(worker, 'message')
      worker.postMessage({ port, bytes })
      await answered
      costs.push((await spent()) - before)
    }
    return costs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  }
}

/** A server that reads requests and ignores them. */
const startReader = async (t: Tidying): Promise<number> => {
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    request.on('end', () => response.end('{}'))
    request.resume()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A service with a running reservation, and the ticket of its console once it is forwarded. */
const startService = async (t: Tidying): Promise<{ readonly port: number; readonly things: Things }> => {
  const listenPort = await freePort()
  // The client is a trusted proxy, so its forwarding headers are parsed.
  const environment = {
    ...{ BERTH_TRUSTED_PROXIES: '127.0.0.1', BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` },
  }
  const service = await start(t, { now: NOW, environment })
  const admin = service.as('admin')
  const sut = await createSut(admin, REFUSING)
  const running = { user_id: idOf('admin'), start_time: '2030-05-02T05:45:00Z', end_time: '2030-05-02T06:00:00Z' }
  const reservation = String((await reserved(admin, aReservation(sut, running))).json._id)
  let ticket = ''
  const isForwarded = async (): Promise<boolean> => {
    service.tick()
    const { status, json } = await admin.request('POST', `/api/sut_reservation/${reservation}/console`)
    ticket = String(json.url).split('/').at(-1) ?? ''
    return status === 200
  }
  await until('there is a ticket', isForwarded, 15_000)
  return { port: service.port, things: { sut, reservation, ticket } }
}

/** The least of several measurements of a figure, once it is not too large. */
const leastOf = async (max: number, figure: (rounds: number) => Promise<number>): Promise<number> => {
  let least = await figure(1)
  for (let n = 0; least > max && n < RETRIES; n++) least = Math.min(least, await figure(ROUNDS_AGAIN))
  return least
}

/** The kind of a request: the part before the variation, such as `POST /api/sut/:id/tags of`. */
const kindOf = ({ what, isAnyones }: Costly): string => {
  const kind = /^\S+ \S+? (?:with [\w-]+|of)|^\S+ [^?]+/.exec(what)?.[0] ?? what
  return isAnyones ? `${kind}, no credentials` : kind
}

export const outsideRows = async ({ say }: { readonly say: (line: string) => void }): Promise<readonly TableRow[]> => {
  const later = tidyingLater()
  try {
    const { port, things } = await startService(later)
    const reader = await startReader(later)
    const cpuOf = openMeter(later)
    const costs: { readonly costly: Costly; readonly cpu: number }[] = []
    for (const costly of costlyRequests(things)) {
      const once = await cpuOf(port, costly.bytes(1))
      costs.push({ costly, cpu: once > EXPENSIVE ? await cpuOf(port, costly.bytes(1), ROUNDS) : once })
    }
    const costliest = costs.toSorted((a, b) => b.cpu - a.cpu)
    for (const { costly, cpu } of costliest.slice(0, COSTLIEST)) say(`${cpu.toFixed(1)} ms: ${costly.what}`)

    const compared = async (isAnyones: boolean): Promise<readonly TableRow[]> => {
      const max = isAnyones ? OPEN_MAX : KNOWN_MAX
      const highest = { ratio: 0, growth: 0 }
      for (const { costly } of costliest.filter(({ costly }) => costly.isAnyones === isAnyones).slice(0, COSTLIEST)) {
        const [half, whole] = [costly.bytes(0.5), costly.bytes(1)]
        const ratio = async (rounds: number) =>
          (await cpuOf(port, whole, rounds)) / (await cpuOf(reader, whole, rounds))
        const growth = async (rounds: number) =>
          ((await cpuOf(port, whole, rounds)) - STEP) / (await cpuOf(port, half, rounds))
        highest.ratio = Math.max(highest.ratio, await leastOf(max, ratio))
        highest.growth = Math.max(highest.growth, await leastOf(GROWTH_MAX, growth))
      }
      const who = isAnyones ? 'without credentials' : 'with credentials'
      return [
        { what: `the costliest ${who}, to reading their bytes`, figures: [highest.ratio], must: { most: max } },
        { what: `the costliest ${who}, to half their size`, figures: [highest.growth], must: { most: GROWTH_MAX } },
      ]
    }

    const rows = [...Map.groupBy(costliest, ({ costly }) => kindOf(costly))].map(
      ([kind, ofKind]): TableRow => ({
        what: `${kind}: the most expensive of ${ofKind.length}`,
        figures: [ofKind[0]?.cpu ?? Number.NaN],
        unit: 'ms',
        digits: 1,
        must: { most: ofKind[0]?.costly.isAnyones ? OPEN_MS_MAX : KNOWN_MS_MAX },
      }),
    )
    return [...(await compared(true)), ...(await compared(false)), ...rows.slice(0, 40)]
  } finally {
    await later.tidy()
  }
}

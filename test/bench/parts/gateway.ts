/** The gateway compared with HAProxy in TCP mode, each on one core; clients and SUTs share the other. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../gateway/peers.ts'
import { cpuOf, quantile, SERVER_CORE, type Server, withServers } from '../measure/processes.ts'
import type { TableRow } from '../measure/table.ts'
import type { Setting } from '../servers/creating.ts'

const host = '127.0.0.1'
const FLOOD = Buffer.alloc(2 ** 18)

const listen = async (handle: (socket: Socket) => void): Promise<number> => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined)
    handle(socket)
  }).listen(0, host, 511)
  await once(server, 'listening')
  server.unref()
  return (server.address() as AddressInfo).port
}

const flood = (socket: Socket): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(FLOOD));
  }
  socket.on('drain', more)
  more()
}

/** A server that sends all it can, one that greets with a byte, and one that echoes. */
const startTargets = async (): Promise<readonly number[]> =>
  Promise.all([listen(flood), listen((socket) => socket.write('x')), listen((socket) => socket.pipe(socket))])

/** Megabytes a second that some connections receive together. */
const throughput = async (port: number, connections: number, seconds: number): Promise<number> => {
  let received = 0
  const buffer = Buffer.alloc(2 ** 18)
  const callback = (bytes: number): boolean => {
    received += bytes
    return true
  }
  const sockets = Array.from({ length: connections }, () => connect({ port, host, onread: { buffer, callback } }))
  for (const socket of sockets) socket.on('error', () => undefined)
  await delay(200)
  const [before, began] = [received, performance.now()]
  await delay(seconds * 1_000)
  const rate = (received - before) / 1_000 / (performance.now() - began)
  for (const socket of sockets) socket.resetAndDestroy()
  await delay(100)
  return rate
}

/** Connections a second that are greeted and reset, some at a time. */
const newConnections = async (port: number, atATime: number, seconds: number): Promise<number> => {
  const began = performance.now()
  const end = began + seconds * 1_000
  let done = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const socket = connect({ port, host })
      await once(socket, 'data')
      socket.resetAndDestroy()
      done++
    }
  }
  await Promise.all(Array.from({ length: atATime }, one))
  return (done * 1_000) / (performance.now() - began)
}

/** The median round trip of a byte in microseconds. */
const roundTrip = async (port: number, seconds: number): Promise<number> => {
  const socket = connect({ port, host, noDelay: true })
  await once(socket, 'connect')
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const began = performance.now()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    socket.once('data', resolve)
    socket.write('x')
    await promise
    times.push((performance.now() - began) * 1_000)
  }
  socket.destroy()
  return quantile(times, 0.5)
}

const SERVER = join(import.meta.dirname, '../servers/gateway-server.ts')

const configuration = (pairs: readonly (readonly [number, number])[]): string =>
  [
    'global\n  nbthread 1\n  maxconn 8192',
    'defaults\n  mode tcp\n  timeout connect 10s\n  timeout client 1h\n  timeout server 1h',
    ...pairs.map(([listen, port]) => `listen p${listen}\n  bind 127.0.0.1:${listen}\n  server sut 127.0.0.1:${port}`),
    '',
  ].join('\n')

const untilListening = async (port: number): Promise<void> => {
  for (;;) {
    const socket = connect({ port, host })
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await delay(50)
  }
}

const startHaproxy = async (directory: string, pairs: readonly (readonly [number, number])[]) => {
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, configuration(pairs))
  const child = spawn('taskset', ['-c', SERVER_CORE, 'haproxy', '-db', '-f', file], { stdio: 'ignore' })
  await untilListening(pairs[0]?.[0] ?? 0)
  return { pid: child.pid as number, stop: () => child.kill('SIGKILL') }
}

type Ports = readonly [toFlood: number, toGreeting: number, toEcho: number]

/** What is measured of a proxy, by its ports to the three targets. */
const MEASURES: Readonly<
  Record<string, Pick<TableRow, 'must' | 'aim' | 'unit'> & { take: (ports: Ports, seconds: number) => Promise<number> }>
> = {
  'throughput of 1 connection': {
    ...{ take: ([port], seconds) => throughput(port, 1, seconds), unit: 'MB/s' },
    ...{ must: { least: 0.7 }, aim: { least: 0.85 } },
  },
  'throughput of 64 connections': {
    ...{ take: ([port], seconds) => throughput(port, 64, seconds), unit: 'MB/s' },
    ...{ must: { least: 0.7 }, aim: { least: 0.85 } },
  },
  'new connections a second': {
    ...{ take: ([, port], seconds) => newConnections(port, 32, seconds), unit: '/s', must: { least: 0.25 } },
  },
  'round trip of a byte': {
    ...{ take: ([, , port], seconds) => roundTrip(port, seconds), unit: 'us', must: { most: 2 } },
  },
}

interface Sample {
  readonly figure: number
  /** Cores that the proxy used. */
  readonly cores: number
}

const sampleOf = async (take: () => Promise<number>, pid: number): Promise<Sample> => {
  const [used, began] = [cpuOf(pid), performance.now()]
  const figure = await take()
  return { figure, cores: (cpuOf(pid) - used) / 1_000 / (performance.now() - began) }
}

const rowsOf = (measure: string, berth: readonly Sample[], haproxy: readonly Sample[]): readonly TableRow[] => {
  const { take: _, unit, ...bounds } = MEASURES[measure] as (typeof MEASURES)[string]
  const rowOf = (name: string, samples: readonly Sample[]): TableRow => {
    const cores = (samples.reduce((sum, { cores }) => sum + cores, 0) / samples.length).toFixed(2)
    const figures = samples.map(({ figure }) => figure)
    return { what: `${name}: ${measure}, ${cores} cores`, figures, ...(unit && { unit }), digits: 0 }
  }
  const ratios = berth.map(({ figure }, round) => figure / (haproxy[round]?.figure ?? Number.NaN))
  return [
    { what: `gateway / HAProxy: ${measure}`, figures: ratios, ...bounds },
    rowOf('gateway', berth),
    rowOf('HAProxy', haproxy),
  ]
}

const threePorts = async (): Promise<Ports> => [await freePort(), await freePort(), await freePort()]

export const gatewayRows = async ({ rounds, seconds, directory, say }: Setting) => {
  if (spawnSync('haproxy', ['-v']).error !== undefined) {
    return [{ what: 'gateway / HAProxy', figures: [], notRun: 'there is no haproxy' }] satisfies TableRow[]
  }
  const targets = await startTargets()
  return withServers(async (start) => {
    const pairsOf = (ports: Ports) => ports.map((port, index) => [port, targets[index] as number] as const)
    const [berthPorts, haproxyPorts] = [await threePorts(), await threePorts()]
    const berth: Server = await start([SERVER, ...pairsOf(berthPorts).map((pair) => pair.join(':'))], {})
    const haproxy = await startHaproxy(directory, pairsOf(haproxyPorts))
    try {
      const rows: TableRow[] = []
      for (const [measure, { take }] of Object.entries(MEASURES)) {
        const samples: Record<'berth' | 'haproxy', Sample[]> = { berth: [], haproxy: [] }
        for (let round = 0; round <= rounds; round++) {
          const mine = await sampleOf(() => take(berthPorts, seconds), berth.pid)
          const theirs = await sampleOf(() => take(haproxyPorts, seconds), haproxy.pid)
          // The first round warms up.
          if (round > 0) samples.berth.push(mine)
          if (round > 0) samples.haproxy.push(theirs)
        }
        rows.push(...rowsOf(measure, samples.berth, samples.haproxy))
        say(`${measure} measured`)
      }
      return rows
    } finally {
      haproxy.stop()
    }
  })
}

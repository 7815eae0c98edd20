import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../gateway/peers.ts'
import { cpuOf, SERVER_CORE, type Server, withServers } from '../measure/processes.ts'
import type { TableRow } from '../measure/table.ts'
import { newConnections, roundTrip, startTargets, throughput } from '../servers/gateway-load.ts'

/** The gateway compared with HAProxy in TCP mode, each on one core; clients and SUTs share the other. */

export interface GatewayBenchOptions {
  readonly rounds: number
  readonly seconds: number
  readonly directory: string
  readonly say: (line: string) => void
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
    const socket = connect({ port, host: '127.0.0.1' })
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

/** What is measured of a proxy, by its ports to the three targets. */
const MEASURES = {
  'throughput of 1 connection': (ports, seconds) => throughput(ports[0], 1, seconds),
  'throughput of 64 connections': (ports, seconds) => throughput(ports[0], 64, seconds),
  'new connections a second': (ports, seconds) => newConnections(ports[1], 32, seconds),
  'round trip of a byte': (ports, seconds) => roundTrip(ports[2], seconds),
} as const satisfies Record<string, (ports: readonly [number, number, number], seconds: number) => Promise<number>>

type Measure = keyof typeof MEASURES

const UNITS: Readonly<Record<Measure, string>> = {
  'throughput of 1 connection': 'MB/s',
  'throughput of 64 connections': 'MB/s',
  'new connections a second': '/s',
  'round trip of a byte': 'us',
}

const BOUNDS: Readonly<Record<Measure, Pick<TableRow, 'must' | 'aim'>>> = {
  'throughput of 1 connection': { must: { least: 0.7 }, aim: { least: 0.85 } },
  'throughput of 64 connections': { must: { least: 0.7 }, aim: { least: 0.85 } },
  'new connections a second': { must: { least: 0.25 } },
  'round trip of a byte': { must: { most: 2 } },
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

const rowsOf = (measure: Measure, berth: readonly Sample[], haproxy: readonly Sample[]): readonly TableRow[] => {
  const figures = (samples: readonly Sample[]): readonly number[] => samples.map(({ figure }) => figure)
  const cores = (samples: readonly Sample[]): string =>
    (samples.reduce((sum, { cores }) => sum + cores, 0) / samples.length).toFixed(2)
  const ratios = figures(berth).map((figure, round) => figure / (haproxy[round]?.figure ?? Number.NaN))
  return [
    { what: `gateway / HAProxy: ${measure}`, figures: ratios, ...BOUNDS[measure] },
    { what: `gateway: ${measure}, ${cores(berth)} cores`, figures: figures(berth), unit: UNITS[measure], digits: 0 },
    {
      what: `HAProxy: ${measure}, ${cores(haproxy)} cores`,
      figures: figures(haproxy),
      unit: UNITS[measure],
      digits: 0,
    },
  ]
}

type Ports = readonly [number, number, number]
const threePorts = async (): Promise<Ports> => [await freePort(), await freePort(), await freePort()]

export const gatewayRows = async ({ rounds, seconds, directory, say }: GatewayBenchOptions) => {
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
      for (const [measure, take] of Object.entries(MEASURES) as [Measure, (typeof MEASURES)[Measure]][]) {
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

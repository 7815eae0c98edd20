import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../gateway/peers.ts'
import { LOAD_CORE, SERVER_CORE, withServers } from '../measure/processes.ts'
import { alternate, rowOf, type Samplers, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { ask } from '../servers/berth.ts'
import type { Report, Told } from '../servers/byte-load.ts'
import { type Creator, type Setting, startBerth } from '../servers/creating.ts'
import { throughput } from '../servers/gateway-load.ts'

/**
 * Creates of a service whose gateway rests, moves all it can, or holds a thousand idle connections, in turn. The service
 * has both cores. SUTs and those connected to them, which a lab has on other machines, give way to the client that
 * creates; what they take of its p99 all the same shows where the same bytes pass by the gateway.
 */

const CLIENTS = 4
const FLOODED = 64
const IDLE = 1_000

type Name = 'resting' | 'moving' | 'past' | 'idle'

/** A SUT at a port of this machine, reserved from now on. Returns the port that leads to it. */
const reserveSut = async (url: string, user_id: string, port: number): Promise<number> => {
  const sut = { name: `at ${port}`, address: '127.0.0.1', port, sut_type: 'tcp' }
  const { _id: sut_id } = await ask(url, '/api/sut/create', sut)
  const window = { start_in: 0, duration: 86_400 }
  const made = await ask(url, '/api/sut_reservation/create', { user_id, sut_id, ...window })
  return (made as { _id: string; listen_port: number }).listen_port
}

const LOWEST_PRIORITY = 19

/** SUTs and those connected to them. */
const startByteLoad = async () => {
  const child = fork(join(import.meta.dirname, '../servers/byte-load.ts'))
  setPriority(child.pid as number, LOWEST_PRIORITY)
  const next = async (): Promise<Report> => ((await once(child, 'message')) as [Report])[0]
  const tell = (told: Told): Promise<Report> => {
    child.send(told)
    return next()
  }
  const { targets } = (await next()) as Extract<Report, { targets: unknown }>
  return { targets, tell, stop: () => child.disconnect() }
}

/** Samples of creates while connections to a port are open. */
const beside =
  ({ sample }: Creator, tell: (told: Told) => Promise<Report>, port: number, connections: number) =>
  async (): ReturnType<Samplers<Name>[Name]> => {
    await tell({ port, connections })
    const watched = await sample(CLIENTS)
    await tell('close')
    // Work of the other process is not foreign.
    return { ...watched, foreign: undefined }
  }

const untilForwarded = async (port: number): Promise<void> => {
  while ((await throughput(port, 1, 0.1)) === 0) await delay(50)
}

export const besideGatewayRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const first = await freePort()
    const environment = {
      BERTH_GATEWAY: 'on',
      BERTH_LISTEN_PORTS: `${first}-${Math.min(65_535, first + 999)}`,
      BERTH_GATEWAY_CONNECTIONS_OF_ONE: String(IDLE),
    }
    const both = `${SERVER_CORE},${LOAD_CORE}`
    const berth = await startBerth((args, more) => start(args, { ...more, ...environment }, both), 'gateway', setting)
    const { creator, user, server } = berth
    const { targets, tell, stop } = await startByteLoad()
    const [flooding = 0, , echoing = 0] = targets
    const floodPort = await reserveSut(server.url, user, flooding)
    const idlePort = await reserveSut(server.url, user, echoing)
    await untilForwarded(floodPort)
    setting.say(`the gateway moves ${(await throughput(floodPort, FLOODED, 2)).toFixed(0)} MB/s without creates`)
    const samplers: Samplers<Name> = {
      resting: () => creator.sample(CLIENTS),
      moving: beside(creator, tell, floodPort, FLOODED),
      past: beside(creator, tell, flooding, FLOODED),
      idle: beside(creator, tell, idlePort, IDLE),
    }
    const alternation = await alternate(samplers, { ...setting, warmUp: 5 })
    stop()
    const cpu = ({ cpu, requests }: Taken): number => cpu / requests
    return [
      rowOf(
        alternation,
        { what: 'p99 of creates beside a gateway that moves all it can', must: { most: 1.5 } },
        (round) => round.moving.p99 / round.resting.p99,
      ),
      rowOf(
        alternation,
        { what: 'the same bytes past the gateway: p99 of creates' },
        (round) => round.past.p99 / round.resting.p99,
      ),
      rowOf(
        alternation,
        { what: 'CPU of a create beside 1,000 idle connections', must: { most: 1.03 } },
        (round) => cpu(round.idle) / cpu(round.resting),
      ),
      rowOf(
        alternation,
        { what: 'p99 of creates beside 1,000 idle connections', must: { most: 1.5 } },
        (round) => round.idle.p99 / round.resting.p99,
      ),
      rowOf(
        alternation,
        { what: 'p99 of creates beside a gateway that rests', unit: 'us', digits: 0 },
        (round) => round.resting.p99,
      ),
    ]
  })

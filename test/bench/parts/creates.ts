/** Durable creates compared with an echo of the same body, and with an alternative that users might have chosen. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isLinux, type Server, withServers } from '../measure/processes.ts'
import { alternate, rowOf, type Samplers, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { newestPrograms } from '../peers/postgres.ts'
import { checkEcho, checkLog, checkPeer } from '../scale/checks.ts'
import { perSecond } from '../servers/berth.ts'
import { CONNECTIONS, ECHO, makeCreator, type Setting, startBerth } from '../servers/creating.ts'

const PEERS = join(import.meta.dirname, '../peers')
const CREATES = `durable creates, ${CONNECTIONS} connections`
const TO_POSTGRES = { what: `${CREATES}, to Fastify + PostgreSQL`, must: { least: 4.5 }, aim: { least: 5 } }

/**
 * At first a create takes twice the CPU, until the engine has compiled its code: about ten samples of a second. The
 * others have less code and need fewer. Services run for weeks, so only the later samples count.
 */
const WARM_UP = 10

/** The command that is needed before the peer can run, if any. */
const hindrance = (): string | undefined => {
  if (!existsSync(join(PEERS, 'node_modules'))) return 'npm ci --prefix test/bench/peers'
  try {
    newestPrograms()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

type Name = 'berth' | 'echo' | 'postgres'

const cpuOf = ({ cpu, requests }: Taken): number => cpu / requests

export const createRows = (setting: Setting) =>
  withServers(async (start): Promise<readonly TableRow[]> => {
    const notRun = hindrance()
    const berth = await startBerth(start, 'creates', setting)
    const creatorOn = (server: Server) => ({ server, creator: makeCreator(server, { ...berth, ...setting }) })
    const echo = creatorOn(await start([ECHO], {}))
    const postgres = notRun === undefined && creatorOn(await start([join(PEERS, 'fastify-postgres.ts')], {}))
    const samplers = {
      berth: () => berth.creator.sample(),
      echo: () => echo.creator.sample(),
      ...(postgres && { postgres: () => postgres.creator.sample() }),
    }
    const taken = await alternate(samplers as Samplers<Name>, { ...setting, warmUp: WARM_UP })
    setting.say(`Berth: ${checkLog(berth.data, berth.creator.answered())}`)
    if (postgres) setting.say(`PostgreSQL: ${await checkPeer(postgres.server, postgres.creator.answered())}`)
    await checkEcho(echo.server)
    const names: readonly Name[] = ['berth', 'echo', ...(postgres ? ['postgres' as const] : [])]
    const us = { unit: 'us', digits: 0 }
    const rates = { unit: 'a second', digits: 0 }
    return [
      rowOf(
        taken,
        { what: `${CREATES}, to the echo`, must: { least: 0.57 }, aim: { least: 0.62 } },
        (round) => perSecond(round.berth) / perSecond(round.echo),
      ),
      postgres
        ? rowOf(taken, TO_POSTGRES, (round) => perSecond(round.berth) / perSecond(round.postgres))
        : { ...TO_POSTGRES, figures: [], notRun: String(notRun) },
      rowOf(
        taken,
        { what: 'p99 of these creates to p99 of the echo', must: { most: 2.5 }, aim: { most: 1.5 } },
        (round) => round.berth.p99 / round.echo.p99,
      ),
      rowOf(taken, { what: 'durable creates', ...rates }, (round) => perSecond(round.berth)),
      rowOf(taken, { what: 'echoes', ...rates }, (round) => perSecond(round.echo)),
      ...(isLinux
        ? names.map((name) => rowOf(taken, { what: `CPU of a create: ${name}`, ...us }, (round) => cpuOf(round[name])))
        : []),
    ]
  })

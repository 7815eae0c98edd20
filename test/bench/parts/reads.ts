/** Reads by id compared with a Koa server with a fixed response, and lists compared with the echo. */

import { join } from 'node:path'
import { type Server, withServers } from '../measure/processes.ts'
import { watch } from '../measure/quiet.ts'
import { type Alternation, alternate, rowOf, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { checkEcho, checkLog, checkReads, LIST, reservedIn } from '../scale/checks.ts'
import { authorization, perSecond } from '../servers/berth.ts'
import { CONNECTIONS, ECHO, loadWell, makeCreator, type Setting, startBerth, writeLines } from '../servers/creating.ts'

const HELLO = join(import.meta.dirname, '../servers/hello.ts')
const READ = join(import.meta.dirname, '../load/read.lua')
/** More than the service caches because they are new. */
const RESERVATIONS = 30_000

const bytesPerSecond = ({ bytes, microseconds }: Taken): number => (bytes / microseconds) * 1e6

const rowsOf = (alternation: Alternation<'hello' | 'read' | 'echo' | 'list'>, count: number): readonly TableRow[] => [
  rowOf(
    alternation,
    { what: `reads by id of one of ${count}, to Koa hello`, must: { least: 0.57 }, aim: { least: 0.62 } },
    ({ read, hello }) => perSecond(read) / perSecond(hello),
  ),
  rowOf(
    alternation,
    { what: 'lists of 100 to the echo, bytes a second', must: { least: 5 }, aim: { least: 10 } },
    ({ list, echo }) => bytesPerSecond(list) / bytesPerSecond(echo),
  ),
  rowOf(alternation, { what: 'reads by id', unit: 'a second', digits: 0 }, ({ read }) => perSecond(read)),
  rowOf(alternation, { what: 'lists of 100', unit: 'a second', digits: 0 }, ({ list }) => perSecond(list)),
]

export const readRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const berth = await startBerth(start, 'reads', setting)
    const hello = await start([HELLO], {})
    const echo = await start([ECHO], {})
    while (berth.creator.answered().accepted < RESERVATIONS) await berth.creator.sample()
    const { accepted, cutOff } = berth.creator.answered()
    setting.say(`Berth: ${checkLog(berth.data, { accepted, cutOff })}`)
    const paths = reservedIn(berth.data).map(({ _id }) => `/api/sut_reservation/${_id}`)
    const one = writeLines(join(setting.directory, 'ones'), paths)
    const list = writeLines(join(setting.directory, 'list'), [LIST])
    const reading = (server: Server, file: string) => () =>
      watch(server, () => loadWell(server.url, READ, CONNECTIONS, setting.seconds, [authorization, file]))
    const alternation = await alternate(
      {
        hello: reading(hello, one),
        read: reading(berth.server, one),
        echo: makeCreator(echo, { ...berth, ...setting }).sample,
        list: reading(berth.server, list),
      },
      setting,
    )
    setting.say(`Berth: ${await checkReads(berth.server, berth.data)}`)
    await checkEcho(echo)
    return rowsOf(alternation, paths.length)
  })

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { ask, authorization, MAIN, makeSuts, PASSWORD, perSecond, SCRIPT } from './berth.ts'
import {
  cpuOf,
  load,
  memoryOf,
  quantile,
  requireTools,
  type Sample,
  type Server,
  spread,
  startServer,
} from './processes.ts'

/**
 * Durable creates beside a plain echo of the same body: server on one core, load on the other, both servers alive and
 * warm, short samples in alternating order. Ratios are of neighbouring samples; absolute figures are the machine's.
 */

const CONNECTIONS = 64
const ECHO = join(import.meta.dirname, 'echo.ts')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    suts: { type: 'string', default: '500' },
  },
})
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** What the log holds must be what was answered: no more than the answers that were cut off at the end of a sample. */
const checkLog = (data: string, accepted: number, cutOff: number): number => {
  const log = new DatabaseSync(join(data, 'events.db'), { readOnly: true })
  const { count, windows } = log
    .prepare(
      `SELECT count(*) AS count, count(DISTINCT (recorded->>'$.data.sut_id') || (recorded->>'$.data.start_time')) AS windows
       FROM event WHERE recorded->>'$.type' = 'ReservationCreated'`,
    )
    .get() as { count: number; windows: number }
  log.close()
  if (count !== windows) throw new Error(`${count} reservations hold ${windows} windows`)
  if (count < accepted || count > accepted + cutOff) throw new Error(`${accepted} were answered, ${count} are recorded`)
  return count
}

interface Round {
  readonly berth: Sample
  readonly echo: Sample
  /** Microseconds of the service's CPU for each create. */
  readonly cpu: number
}

const report = (rounds: readonly Round[]): void => {
  const of = (figure: (round: Round) => number): string => spread(rounds.map(figure))
  say(`creates a second       ${of(({ berth }) => perSecond(berth))}`)
  say(`echoes a second        ${of(({ echo }) => perSecond(echo))}`)
  say(`creates to echoes      ${of(({ berth, echo }) => perSecond(berth) / perSecond(echo))}   must 0.5`)
  say(`p99 of creates, ms     ${of(({ berth }) => berth.p99 / 1000)}`)
  say(`p99 of echoes, ms      ${of(({ echo }) => echo.p99 / 1000)}`)
  const [creates, echoes] = [rounds.map(({ berth }) => berth.p99), rounds.map(({ echo }) => echo.p99)]
  say(`p99 to p99, medians    ${(quantile(creates, 0.5) / quantile(echoes, 0.5)).toFixed(2)}   must be below 4`)
  say(`CPU of a create, us    ${of(({ cpu }) => cpu)}`)
}

const run = async (directory: string): Promise<void> => {
  const data = join(directory, 'data')
  const environment = { BERTH_DATA: data, BERTH_PORT: '0', BERTH_ADMIN_PASSWORD: PASSWORD }
  const berth = await startServer([MAIN, 'serve'], environment)
  const echo = await startServer([ECHO], {})
  const idsFile = join(directory, 'ids')
  writeFileSync(idsFile, `${(await makeSuts(berth, Number(values.suts))).join('\n')}\n`)
  const { _id } = await ask(berth.url, '/api/user/me')
  let next = 0
  let accepted = 0
  let samples = 0
  const sample = async (server: Server): Promise<Sample> => {
    const args = [String(next), _id, authorization, idsFile]
    const taken = await load(server.url, SCRIPT, CONNECTIONS, Number(values.seconds), args)
    if (taken.refused + taken.broken > 0) throw new Error(`${taken.refused} refused, ${taken.broken} broken`)
    if (server !== berth) return taken
    next += taken.requests + 2 * CONNECTIONS
    accepted += taken.requests
    samples++
    return taken
  }
  const measured = async (): Promise<Omit<Round, 'echo'>> => {
    const before = cpuOf(berth.pid)
    const taken = await sample(berth)
    return { berth: taken, cpu: (cpuOf(berth.pid) - before) / taken.requests }
  }
  await sample(berth)
  await sample(echo)
  const rounds: Round[] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const first = i % 2 === 0 ? await measured() : undefined
    const echoed = await sample(echo)
    rounds.push({ ...(first ?? (await measured())), echo: echoed })
  }
  const memory = memoryOf(berth.pid)
  await berth.stop()
  await echo.stop()
  say(
    `${values.rounds} rounds of ${values.seconds} s, ${CONNECTIONS} connections, ${values.suts} SUTs, ${cpus()[0]?.model}`,
  )
  report(rounds)
  const recorded = checkLog(data, accepted, samples * CONNECTIONS)
  say(`recorded               ${recorded} reservations for ${accepted} answers, no window twice`)
  say(`memory, MB             ${memory.now.toFixed(0)}, at most ${memory.peak.toFixed(0)}`)
  const again = await startServer([MAIN, 'serve'], environment)
  say(`start with these, s    ${(again.startedWithin / 1000).toFixed(2)}   must be below 2`)
  say(`memory then, MB        ${memoryOf(again.pid).now.toFixed(0)}   must be below 300`)
  await again.stop()
}

requireTools()
const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
try {
  await run(directory)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

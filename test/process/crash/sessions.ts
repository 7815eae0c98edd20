import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts, HOST, startSut } from '../../gateway/peers.ts'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { ROOT, type Service, serve } from '../harness.ts'
import { readRows } from '../log-rows.ts'
import { makeRandom, type Random } from '../random.ts'
import type { CrashOptions } from './crash.ts'
import { openScheduleBook } from './schedule-book.ts'
import { problemsAtEnd, problemsOfStart, sessionsOf } from './session-checks.ts'
import { startSessionLoad } from './session-load.ts'

/** Answers of each round, at least. */
const ANSWERS = 60
/** The process is killed within this many milliseconds after the first answers. */
const KILL_WITHIN = 400
const SOON = 10_000
const SUTS = 12
const QUARTER = 900_000

/** Starts the service again and again on one directory, each time with a clock that is later. */
const makeStarting = (scope: Tidying, data: string, env: Readonly<Record<string, string>>, random: Random) => {
  let ahead = 0
  /** Milliseconds that the last start took. */
  let took = 1_000
  const now = (): number => Date.now() + ahead
  return {
    now,
    /** A quarter-hour begins before, while or soon after the service starts. Now and then another passes before. */
    startBesideQuarter: async (): Promise<{ service: Service; startedAt: number }> => {
      const lead = random.below(took + 2 * KILL_WITHIN)
      const boundary = (Math.ceil((now() + lead) / QUARTER) + Math.floor(random.below(3) / 2)) * QUARTER
      ahead += boundary - lead - now()
      const startedAt = now()
      const node = ['--import', join(ROOT, 'test/process/crash/shifted-clock.ts')]
      const service = await serve(scope, { data, node, env: { ...env, CLOCK_AHEAD: String(ahead) } })
      took = now() - startedAt
      return { service, startedAt }
    },
  }
}

/**
 * Each round loads the service, connects through the gateway, kills it at a random moment and restarts it, all on one
 * log. In each of them reservations start and end, before the kill, while the service is down, or after.
 */
export const sessionCrashRounds = async (
  scope: Tidying,
  { rounds, seed, onRound }: Pick<CrashOptions, 'rounds' | 'seed' | 'onRound'>,
) => {
  const random = makeRandom(seed)
  const data = join(await temporaryData(scope), 'data')
  const ports = await freePorts(SUTS)
  const env = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${ports[0]}-${ports.at(-1)}` }
  const { now, startBesideQuarter } = makeStarting(scope, data, env, random)
  let { service } = await startBesideQuarter()
  const sut = {
    ...aSut(),
    address: HOST,
    port: (await startSut(scope, (socket) => socket.pipe(socket))).port,
    sut_type: 'tcp',
  }
  const suts: string[] = []
  for (const _ of ports) suts.push(String((await service.post('/api/sut/create', sut)).json._id))
  const user = String((await service.get('/api/user/me')).json._id)
  const book = openScheduleBook()
  let position = 0
  const readOn = (): void => {
    const rows = readRows(join(data, 'events.db'), position)
    position += rows.length
    book.take(rows)
  }
  const problems: string[] = []
  /** `reached` are reservations that were running when a start was ready. */
  const counts = { answers: 0, connections: 0, reached: 0 }

  for (let round = 1; round <= rounds && problems.length === 0; round++) {
    const load = startSessionLoad({ client: service, suts, ports, user, now }, random)
    await load.answered(ANSWERS)
    // Kills at a random time on purpose, so it waits for no condition.
    await delay(random.below(KILL_WITHIN))
    service.signal('SIGKILL')
    const [{ signal }] = await Promise.all([service.exited, load.ended])
    if (signal !== 'SIGKILL') problems.push(`ended by itself: ${service.output()} ${service.errors()}`)
    counts.answers += load.counts().answers
    counts.connections += load.counts().connections
    const started = await startBesideQuarter()
    service = started.service
    const found = await problemsOfStart(started, { ports, book, readOn, now, within: SOON })
    counts.reached += found.reached
    counts.connections += ports.length
    problems.push(...load.problems, ...found.problems)
    onRound?.(round)
  }
  const sessions = await sessionsOf(service)
  return {
    ...counts,
    ...book.counts(),
    sessions: sessions.length,
    lost: sessions.filter(({ cause }) => cause === 'lost').length,
    problems: [...problems, ...(await problemsAtEnd({ service, data }, counts.connections))],
  }
}

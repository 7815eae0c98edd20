/** Random store faults while two instances are under load, and what the log says then of every answer. */

import { join } from 'node:path'
import { verifyLog } from '../../../src/audit/verify/verify.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { replay } from '../../../src/read-models/replay.ts'
import type { Client } from '../../http/client.ts'
import { idOf, type Running, type Tidying, withScope } from '../../http/harness.ts'
import { aSut, NOW } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { retryingProblems } from '../../process/crash/ledger.ts'
import { startLoad } from '../../process/crash/load.ts'
import { type Attempt, problemsOfAnswers, repeatedKeys } from '../../process/crash/truth.ts'
import type { Row } from '../../process/log-rows.ts'
import { makeRandom, type Random } from '../../process/random.ts'
import { recordsOf } from '../new-events.ts'
import { befall } from './faults.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { aServer } from './server-and-client.ts'
import { aVaultKey, eventsIn, openAdapter, startInstance } from './service/instances.ts'

export interface Schedules {
  readonly seed: number
  readonly schedules: number
  readonly onSchedule?: () => void
}

export interface Played {
  schedules: number
  acknowledged: number
  conflicts: number
  /** Answers with 503. */
  troubled: number
  /** Longest time from the end of the last fault to the next recorded write, in milliseconds. */
  gap: number
  readonly faults: Record<string, number>
  readonly problems: string[]
}

/** Schedules per log, after which the views are compared with it. */
const ON_ONE_LOG = 25
const INSTANCES = 2
const CLIENTS = 5
/** Quarters of an hour for which they contend. */
const CONTENDED = 40

interface Stage {
  readonly server: ProtocolServer
  readonly services: readonly Running[]
  /** The events of the log, through a connection that no fault of before has harmed. */
  readonly rows: () => Promise<readonly Row[]>
}

const setStage = async (t: Tidying): Promise<Stage> => {
  const server = await aServer(t)
  const environment = { BERTH_VAULT_KEY: aVaultKey() }
  const services: Running[] = []
  for (let i = 0; i < INSTANCES; i++) {
    services.push(await startInstance(t, server, i, { now: NOW, environment }))
  }
  return { server, services, rows: () => eventsIn<Row>(t, server) }
}

/** An administrator who asks either instance. */
const anyOf = (services: readonly Running[], { oneOf }: Random): Client => {
  const any = (): Client => oneOf(services).as('admin')
  return {
    request: (...given) => any().request(...given),
    get: (...given) => any().get(...given),
    post: (...given) => any().post(...given),
  }
}

/** Creates a SUT, retrying until it succeeds. */
const newSut = async (client: Client, random: Random): Promise<string> => {
  const headers = { 'Idempotency-Key': random.hex(16) }
  let id: string | undefined
  const make = async (): Promise<boolean> => {
    const made = await client.post('/api/sut/create', aSut(), headers)
    if (made.status === 201) id = String(made.json._id)
    return id !== undefined
  }
  await until('a SUT is made', make, 40_000)
  return id as string
}

const count = (played: Played, attempts: readonly Attempt[], faults: readonly string[]): void => {
  const withStatus = (from: number, to: number): number =>
    attempts.filter(({ answer }) => answer !== undefined && answer.status >= from && answer.status < to).length
  played.schedules++
  played.acknowledged += withStatus(200, 300)
  played.conflicts += withStatus(409, 410)
  played.troubled += withStatus(503, 504)
  for (const fault of faults) played.faults[fault] = (played.faults[fault] ?? 0) + 1
}

/** Plays one schedule on its own SUT; returns the problems found. */
const playOne = async ({ server, services, rows }: Stage, seed: number, played: Played): Promise<readonly string[]> => {
  const random = makeRandom(seed)
  const client = anyOf(services, makeRandom(seed + 1))
  const target = {
    client,
    suts: [await newSut(client, random)],
    user: idOf('alice'),
    now: Date.parse(NOW),
    contended: CONTENDED,
  }
  const load = startLoad(target, makeRandom(seed + 2), CLIENTS)
  await load.answered(CLIENTS)
  const faults = await befall(server, random)
  const end = performance.now()
  await newSut(client, random)
  played.gap = Math.max(played.gap, performance.now() - end)
  load.stop()
  await load.ended
  const attempts = [...load.attempts]
  count(played, attempts, faults)
  const retrying = await retryingProblems(client, attempts)
  const problems = [...retrying, ...problemsOfAnswers(attempts, await rows(), true)]
  return problems.map((problem) => `seed ${seed} (${faults.join(', ')}): ${problem}`)
}

/** Compares the views of every instance with a replay of the log, and looks for what the log itself must not have. */
const checkLog = async (t: Tidying, { server, services, rows }: Stage): Promise<readonly string[]> => {
  const store = await openAdapter(t, server)
  const last = (await recordsOf(store, -1)).length - 1
  const { findings } = await verifyLog({ records: store.records(BEGINNING) })
  const problems = [...findings.map(({ what }) => what), ...repeatedKeys(await rows())]
  for (const [i, service] of services.entries()) {
    const position = async () => Number((await service.as('admin').get('/api/sut?limit=1')).headers['berth-position'])
    const come = until('the views', async () => (await position()) >= last, 5_000)
    await come.catch(async () => problems.push(`the views of ${i} are at ${await position()}, not ${last}`))
    await service.stop()
    const compared = await replay(join(service.data, 'views.db'), store)
    problems.push(...compared.differences.map((difference) => `the views of ${i}: ${difference}`))
    // An instance that stops records what it has refused.
    const end = (await recordsOf(store, -1)).length - 1
    if (compared.position < last || compared.position > end)
      problems.push(`the views of ${i} end at ${compared.position}, the log at ${last} to ${end}`)
    const failures = service.log.filter(({ level, sentence }) => level === 'fatal' || sentence === 'a request failed')
    problems.push(...failures.map((line) => `the log of ${i}: ${JSON.stringify(line)}`))
  }
  return problems
}

/** Logs played at once. */
const LANES = 4
const PROBLEMS_MAX = 20

/** Plays schedules with successive seeds, until there are many problems. */
export const playSchedules = async (options: Schedules): Promise<Played> => {
  const { seed, schedules, onSchedule } = options
  const counts = { schedules: 0, acknowledged: 0, conflicts: 0, troubled: 0, gap: 0 }
  const played: Played = { ...counts, faults: {}, problems: [] }
  let next = 0
  const isEnough = (): boolean => played.problems.length >= PROBLEMS_MAX

  const onOneLog = (first: number, end: number): Promise<void> =>
    withScope(async (t) => {
      const stage = await setStage(t)
      for (let n = first; n < end && !isEnough(); n++) {
        played.problems.push(...(await playOne(stage, seed + 1_000 * n, played)))
        onSchedule?.()
      }
      played.problems.push(...(await checkLog(t, stage)))
    })

  const lane = async (): Promise<void> => {
    while (next < schedules && !isEnough()) {
      const first = next
      next = Math.min(first + ON_ONE_LOG, schedules)
      await onOneLog(first, next)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return played
}

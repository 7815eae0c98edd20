import { join } from 'node:path'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { replay } from '../../../src/read-models/replay.ts'
import { type Running, type Tidying, withScope } from '../../http/harness.ts'
import { aSut, NOW } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { makeRandom, type Random } from '../../process/random.ts'
import { recordsOf } from '../new-events.ts'
import { befall } from './faults.ts'
import { ask, drawWishes, quarterOf, type RequestOutcome } from './persistent-clients.ts'
import { type ProtocolServer, startProtocolServer } from './protocol/protocol-server.ts'
import { aVaultKey, openAdapter, startInstance } from './service/instances.ts'

/** Compares the responses to clients with the server's log. */

interface Recorded {
  readonly id: string
  readonly start: number
  readonly end: number
}

const dataOf = ({ data }: { readonly data: Uint8Array }): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(data).toString())

/** The reservations and cancellations of a SUT, and contradictions within the log. */
const readTruth = (server: ProtocolServer, sut: string) => {
  const made: Recorded[] = []
  const cancelled: string[] = []
  const problems: string[] = []
  const standing = new Map<string, Recorded>()
  const eventIds = new Set<string>()
  for (const event of server.log.readable(sutStream(sut)) ?? []) {
    if (eventIds.has(event.id)) problems.push(`the event ${event.id} is there twice`)
    eventIds.add(event.id)
    const data = dataOf(event)
    const id = String(data._id)
    if (event.type === 'ReservationCreated') {
      const one = { id, start: quarterOf(data.start_time), end: quarterOf(data.end_time) }
      const other = [...standing.values()].find(({ start, end }) => start < one.end && one.start < end)
      if (other !== undefined) problems.push(`${shown(one)} overlaps ${shown(other)}`)
      if (made.some(({ start, end }) => start === one.start && end === one.end)) {
        problems.push(`${shown(one)} is recorded twice`)
      }
      made.push(one)
      standing.set(id, one)
    }
    if (event.type === 'ReservationCancelled') {
      if (!standing.delete(id)) problems.push(`${id} is cancelled twice, or was never made`)
      cancelled.push(id)
    }
  }
  return { made, cancelled, problems }
}

const shown = ({ start, end }: Pick<Recorded, 'start' | 'end'>): string => `the window ${start}-${end}`

/** The contradiction between a response and the log, if any. */
const problemOf = ({ wish, how, id, answers }: RequestOutcome, made: readonly Recorded[]): string | undefined => {
  const recorded = made.find(({ start, end }) => start === wish.start && end === wish.end)
  const description = `${shown(wish)}, answered ${answers.join(', ')},`
  if (how === 'wrong' || how === 'never answered') return `${description} had an unexpected outcome`
  if (how === 'made' && recorded === undefined) return `${description} is lost`
  if (how === 'made' && recorded?.id !== id) return `${description} is ${recorded?.id} in the log, not ${id}`
  if (how === 'refused' && recorded !== undefined) return `${description} was refused and is recorded`
  return undefined
}

/** Finds lost acknowledged writes, recorded refusals, duplicates and overlaps. */
const findContradictions = (
  server: ProtocolServer,
  sut: string,
  outcomes: readonly RequestOutcome[],
): readonly string[] => {
  const { made, cancelled, problems } = readTruth(server, sut)
  const lost = outcomes
    .filter(({ id, wasCancelled }) => wasCancelled && id !== undefined && !cancelled.includes(id))
    .map(({ wish }) => `the cancellation of ${shown(wish)} is lost`)
  const unasked = made
    .filter(({ start, end }) => !outcomes.some(({ wish }) => wish.start === start && wish.end === end))
    .map((one) => `nobody asked for ${shown(one)}`)
  return [...problems, ...lost, ...unasked, ...outcomes.flatMap((one) => problemOf(one, made) ?? [])]
}

/** Random store faults while clients of two instances reserve, and the state of the log afterwards. */

export interface Schedules {
  readonly seed: number
  readonly schedules: number
  readonly onSchedule?: () => void
}

export interface Played {
  schedules: number
  wishes: number
  made: number
  refused: number
  unknown: number
  cancelled: number
  askedAgain: number
  /** Longest time from the end of the last fault to the next recorded write, in milliseconds. */
  gap: number
  readonly faults: Record<string, number>
  readonly problems: string[]
}

/** Schedules per log, after which the views are compared with it. */
const ON_ONE_LOG = 25
const INSTANCES = 2
const CLIENTS = 5
const WISHES_EACH = 3
/** After which a client gives up. */
const CLIENT_TIMEOUT_MS = 40_000

interface Stage {
  readonly server: ProtocolServer
  readonly services: readonly Running[]
}

const setStage = async (t: Tidying): Promise<Stage> => {
  const server = await startProtocolServer()
  t.teardown(server.close)
  const environment = { BERTH_VAULT_KEY: aVaultKey() }
  const services: Running[] = []
  for (let i = 0; i < INSTANCES; i++) {
    services.push(await startInstance(t, server, i, { now: NOW, environment }))
  }
  return { server, services }
}

/** Creates a SUT, retrying until it succeeds. */
const newSut = async (services: readonly Running[], random: Random): Promise<string> => {
  const headers = { 'Idempotency-Key': random.hex(16) }
  let id: string | undefined
  const make = async (): Promise<boolean> => {
    const made = await random.oneOf(services).as('admin').post('/api/sut/create', aSut(), headers)
    if (made.status === 201) id = String(made.json._id)
    return id !== undefined
  }
  await until('a SUT is made', make, 40_000)
  return id as string
}

const count = (played: Played, outcomes: readonly RequestOutcome[], faults: readonly string[]): void => {
  played.schedules++
  for (const { how, wasCancelled, answers } of outcomes) {
    played.wishes++
    if (how === 'made' || how === 'refused' || how === 'unknown') played[how]++
    if (wasCancelled) played.cancelled++
    played.askedAgain += answers.filter((answer) => answer.startsWith('503')).length
  }
  for (const fault of faults) played.faults[fault] = (played.faults[fault] ?? 0) + 1
}

/** Plays one schedule on its own SUT; returns the problems found. */
const playOne = async ({ server, services }: Stage, seed: number, played: Played): Promise<readonly string[]> => {
  const random = makeRandom(seed)
  const sut = await newSut(services, random)
  const wishes = drawWishes(random, CLIENTS * WISHES_EACH)
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const asking = { services, sut, timeout: CLIENT_TIMEOUT_MS, random: makeRandom(seed + 1 + client) }
    const outcomes: RequestOutcome[] = []
    for (let n = 0; n < WISHES_EACH; n++) outcomes.push(await ask(asking, wishes[client * WISHES_EACH + n] as never))
    return outcomes
  })
  const befallen = befall(server, random).then(async (faults) => {
    const end = performance.now()
    await newSut(services, random)
    played.gap = Math.max(played.gap, performance.now() - end)
    return faults
  })
  const [faults, ...answered] = await Promise.all([befallen, ...clients])
  const outcomes = answered.flat()
  count(played, outcomes, faults)
  return findContradictions(server, sut, outcomes).map((problem) => `seed ${seed} (${faults.join(', ')}): ${problem}`)
}

/** Compares the views of every instance with a replay of the log. */
const compareViewsWithLog = async (t: Tidying, { server, services }: Stage): Promise<readonly string[]> => {
  const store = await openAdapter(t, server)
  const last = (await recordsOf(store, -1)).length - 1
  const problems: string[] = []
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
  const counts = { schedules: 0, wishes: 0, made: 0, refused: 0, unknown: 0, cancelled: 0, askedAgain: 0, gap: 0 }
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
      played.problems.push(...(await compareViewsWithLog(t, stage)))
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

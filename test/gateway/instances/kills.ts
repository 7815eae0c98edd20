/** Services that are killed at random moments, again and again, while clients connect and reservations begin and end. */

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { type Killable, startKillable } from '../../http/killable.ts'
import { until } from '../../http/until.ts'
import { run } from '../../process/harness.ts'
import { type Row, readRows } from '../../process/log-rows.ts'
import { makeRandom } from '../../process/random.ts'
import { aDoublingSut, anEnvironment, NOW, putSut, reserveIt, tryToConnect } from '../sessions/stage.ts'
import { anEventStore, hostOf, settingOf } from './stage.ts'

const SOON = 20_000
/** Milliseconds by which the clocks move in a round: within a session, past its gap, past a reservation. */
const STEPS = [2_000, 20_000, 70_000, 900_000, 4_600_000]
/** Milliseconds after the first connection of a round within which an instance is killed. */
const KILL_WITHIN = 150

/** Milliseconds after which a start or an end that is due is late. */
const LATE = 300

/**
 * What a log must have and has not, as of a time in Unix milliseconds. `verify` finds what it has and must not have, such
 * as a start twice, too early or after a release, or a second end of a session.
 */
const judge = (rows: readonly Row[], now: number) => {
  const idsOf = (...types: readonly Row['type'][]): ReadonlySet<string> =>
    new Set(rows.flatMap(({ type, data }) => (types.includes(type) && '_id' in data ? [data._id] : [])))
  const ends = new Map<string, number>()
  for (const { type, data } of rows) {
    if (type === 'ReservationCreated' || type === 'ReservationExtended' || type === 'ReservationShortened')
      ends.set(data._id, Date.parse(data.end_time))
  }
  const kept = new Set(ends.keys()).difference(idsOf('ReservationReleased', 'ReservationCancelled'))
  const due = new Set([...kept].filter((id) => (ends.get(id) ?? 0) <= now))
  const [started, ended] = [idsOf('ReservationStarted'), idsOf('ReservationEnded')]
  const [opened, closed] = [idsOf('SessionOpened'), idsOf('SessionClosed')]
  const late = rows.filter(
    ({ type, data, metadata }) =>
      (type === 'ReservationStarted' || type === 'ReservationEnded') &&
      Date.parse(metadata.time) > Date.parse(data.due) + LATE,
  )
  return {
    faults: [
      ...[...kept.difference(started)].map((id) => `the start of ${id} is missing`),
      ...[...due.difference(ended)].map((id) => `the end of ${id} is missing`),
      ...[...opened.difference(closed)].map((id) => `the end of the session ${id} is missing`),
    ],
    counts: {
      ...{ sessions: closed.size, reservations: ends.size, starts: started.size, ends: ended.size, late: late.length },
    },
  }
}

/** One service on the embedded store, or two over an EventStoreDB. */
const prepare = async (t: Tidying, instances: 1 | 2) => {
  if (instances === 1) {
    const [data, { port, environment }] = [await temporaryData(t), await anEnvironment()]
    const settings = [{ now: NOW, data, environment: { ...environment, BERTH_GATEWAY_HOST: hostOf(1) } }]
    return { port, settings, log: async (): Promise<readonly Row[]> => readRows(join(data, 'events.db')) }
  }
  const { server, port, environment, log } = await anEventStore(t)
  const setting = async (n: number) => ({ ...settingOf(server, environment, n), data: await temporaryData(t) })
  const settings = [await setting(1), await setting(2)]
  return { port, settings, log: async () => (await log()) as readonly Row[] }
}

/** What `verify` and `replay` say against a log that no service writes. */
const problemsOf = async (data: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const ended = await Promise.all(['verify', 'replay'].map((command) => run({ data, args: [command], env })))
  return ended.flatMap(({ code, output, errors }) => (code === 0 ? [] : [`${output} ${errors}`]))
}

export interface KillOptions {
  readonly instances: 1 | 2
  readonly rounds: number
  readonly seed: number
  readonly onRound?: (round: number) => void
}

export const killRounds = async (t: Tidying, { instances, rounds, seed, onRound }: KillOptions) => {
  const random = makeRandom(seed)
  const { port, settings, log } = await prepare(t, instances)
  const services: Killable[] = await Promise.all(settings.map((setting) => startKillable(t, setting)))
  const any = (): Killable => random.oneOf(services)
  let time = Date.parse(NOW)
  const pass = async (milliseconds: number): Promise<void> => {
    time += milliseconds
    for (const { setClock } of services) await setClock(new Date(time).toISOString())
  }
  const sut_id = await putSut(any(), await aDoublingSut(t))
  let [reservation, end] = ['', 0]
  const problems: string[] = []
  const visit = async (host: string): Promise<void> => {
    for (let n = random.below(4); n > 0; n--) {
      const socket = await tryToConnect(port, 'abc', host)
      if (random.below(2) === 0) socket?.end()
    }
  }
  for (let round = 0; round < rounds; round++) {
    if (time >= end) {
      const at = any()
      reservation = await reserveIt(at, sut_id)
      end = Date.parse(String((await at.as('alice').get(`/api/sut_reservation/${reservation}`)).json.end_time))
    }
    const host = hostOf(1 + (round % instances))
    await until('the port is open', async () => (await tryToConnect(port, 'abc', host)) !== undefined, SOON)
    const visits = Promise.all(services.map((_, n) => visit(hostOf(n + 1))))
    const killed = random.below(instances)
    // Kills at a random time on purpose, so it waits for no condition.
    await delay(random.below(KILL_WITHIN))
    if (random.below(3) === 0) {
      await any().as('alice').request('POST', `/api/sut_reservation/${reservation}/cancel`)
      end = 0
    }
    // What is due then may be recorded by the killed one, by the other, or after the start.
    if (random.below(2) === 0) void pass(random.oneOf(STEPS))
    await services[killed]?.kill()
    await visits
    services.splice(killed, 1)
    await pass(random.oneOf(STEPS))
    const setting = { ...(settings[killed] as (typeof settings)[0]), now: new Date(time).toISOString() }
    services.splice(killed, 0, await startKillable(t, setting))
    const isHeld = instances === 1 && time < end
    if (isHeld && (await tryToConnect(port, 'abc', host)) === undefined) problems.push('not reachable when it is ready')
    onRound?.(round + 1)
  }
  await pass(2 * 3_600_000)
  const found = async () => judge(await log(), time - 10_000)
  const isDone = async (): Promise<boolean> => {
    await pass(10_000)
    return (await found()).faults.length === 0
  }
  await until('all is recorded', isDone, SOON).catch(() => undefined)
  const { faults, counts } = await found()
  for (const { kill } of services) await kill()
  const { data, environment } = settings[0] as (typeof settings)[0]
  problems.push(...(await problemsOf(data, environment)))
  return { counts, problems: [...problems, ...faults] }
}

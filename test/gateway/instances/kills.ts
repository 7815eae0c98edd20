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

/** A reservation, and what the log says of its start and end. */
interface Booked {
  /** Unix milliseconds. */
  readonly begins: number
  ends: number
  /** Set when it was cancelled or released: nothing more may be recorded of it. */
  isGone: boolean
  /** Each `due` in Unix milliseconds. */
  readonly starts: number[]
  readonly ended: number[]
}

/** Milliseconds after which a record that is due is late. */
const LATE = 300

/** What is wrong with a start or an end in the log. */
const faultOf = (booked: Booked | undefined, what: 'start' | 'end', due: number, recorded: number): string[] => {
  if (booked === undefined) return [`is of no reservation`]
  const expected = what === 'start' ? booked.begins : booked.ends
  return [
    ...(due === expected ? [] : [`was due ${new Date(due).toISOString()}, not ${new Date(expected).toISOString()}`]),
    ...(recorded < due ? ['is recorded before it was due'] : []),
    ...(booked.isGone ? ['is recorded after the reservation was given back'] : []),
    ...(what === 'end' && booked.starts.length === 0 ? ['is recorded before the start'] : []),
  ]
}

const repeated = ({ starts, ended }: Booked): readonly string[] => [
  ...(starts.length > 1 ? [`started ${starts.length} times`] : []),
  ...(ended.length > 1 ? [`ended ${ended.length} times`] : []),
]

/** Follows the starts and ends in a log, with rules of its own. */
const openScheduleBook = () => {
  const book = new Map<string, Booked>()
  const faults: string[] = []
  /** Starts and ends that were recorded as late as after a restart. */
  let late = 0

  const record = (what: 'start' | 'end', { _id, due }: { _id: string; due: string }, time: string): void => {
    const booked = book.get(_id)
    const at = Date.parse(due)
    faults.push(...faultOf(booked, what, at, Date.parse(time)).map((fault) => `the ${what} of ${_id} ${fault}`))
    if (Date.parse(time) > at + LATE) late++
    if (what === 'start') booked?.starts.push(at)
    else booked?.ended.push(at)
  }
  const takeOne = ({ type, data, metadata }: Row): void => {
    if (type === 'ReservationCreated') {
      const begins = Math.max(Date.parse(data.start_time), Date.parse(metadata.time))
      book.set(data._id, { begins, ends: Date.parse(data.end_time), isGone: false, starts: [], ended: [] })
    } else if (type === 'ReservationStarted') record('start', data, metadata.time)
    else if (type === 'ReservationEnded') record('end', data, metadata.time)
    else if (type === 'ReservationExtended' || type === 'ReservationShortened') {
      const booked = book.get(data._id)
      if (booked !== undefined) booked.ends = Date.parse(data.end_time)
    } else if (type === 'ReservationReleased' || type === 'ReservationCancelled') {
      const booked = book.get(data._id)
      if (booked !== undefined) booked.isGone = true
    }
  }

  return {
    take: (rows: readonly Row[]): void => {
      for (const row of rows) takeOne(row)
    },
    /** What the log has and must not have, whatever the time. */
    faults: (): readonly string[] => [
      ...faults,
      ...[...book].flatMap(([id, booked]) => repeated(booked).map((fault) => `${id} ${fault}`)),
    ],
    /** The starts and ends that were due by a time, in Unix milliseconds, and are not in the log. */
    missing: (now: number): readonly string[] =>
      [...book].flatMap(([id, { begins, ends, isGone, starts, ended }]) => [
        ...(!isGone && begins <= now && starts.length === 0 ? [`the start of ${id} is missing`] : []),
        ...(!isGone && ends <= now && ended.length === 0 ? [`the end of ${id} is missing`] : []),
      ]),
    counts: () => {
      const all = [...book.values()]
      const sum = (of: (one: Booked) => number): number => all.reduce((total, one) => total + of(one), 0)
      return {
        reservations: all.length,
        starts: sum(({ starts }) => starts.length),
        ends: sum(({ ended }) => ended.length),
        late,
      }
    },
  }
}

/** Services that are killed at random moments, again and again, while clients connect and reservations begin and end. */

const SOON = 20_000
/** Milliseconds by which the clocks move in a round: within a session, past its gap, past a reservation. */
const STEPS = [2_000, 20_000, 70_000, 900_000, 4_600_000]
/** Milliseconds after the first connection of a round within which an instance is killed. */
const KILL_WITHIN = 150

/** What is wrong with the sessions in a log. */
const faultsOf = (rows: readonly Row[]): readonly string[] => {
  const count = (type: Row['type'], id: string): number =>
    rows.filter((row) => row.type === type && '_id' in row.data && row.data._id === id).length
  return rows
    .flatMap(({ type, data }) => (type === 'SessionOpened' || type === 'SessionClosed' ? [data._id] : []))
    .map((id) => `${id} is opened ${count('SessionOpened', id)} and closed ${count('SessionClosed', id)} times`)
    .filter((fault) => !fault.endsWith('opened 1 and closed 1 times'))
}

/** What is wrong with starts, ends and sessions in a log, all of which were due by a time. */
const judge = (rows: readonly Row[], due: number) => {
  const book = openScheduleBook()
  book.take(rows)
  const sessions = rows.filter(({ type }) => type === 'SessionClosed').length
  return {
    faults: [...faultsOf(rows), ...book.faults(), ...book.missing(due)],
    counts: { sessions, ...book.counts() },
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
const problemsOf = async (data: string): Promise<readonly string[]> => {
  const ended = await Promise.all(['verify', 'replay'].map((command) => run({ data, args: [command] })))
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
  if (instances === 1) problems.push(...(await problemsOf(String(settings[0]?.data))))
  return { counts, problems: [...problems, ...faults] }
}

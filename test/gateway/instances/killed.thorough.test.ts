import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { type Killable, startKillable } from '../../http/killable.ts'
import { until } from '../../http/until.ts'
import { openScheduleBook } from '../../process/crash/schedule-book.ts'
import type { Row } from '../../process/log-rows.ts'
import { makeRandom, seedOf } from '../../process/random.ts'
import { aDoublingSut, NOW, putSut, reserveIt, tryToConnect } from '../sessions/stage.ts'
import { anEventStore, hostOf, settingOf } from './stage.ts'

/** Two instances over one EventStoreDB, of which one is killed at a random moment, again and again. */

const ROUNDS = 6
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

test('two instances killed in turn close each session once and record each start and end once', async (t) => {
  t.timeout(240_000)
  const random = makeRandom(seedOf(process.env))
  t.log({ seed: random.seed })
  const { server, port, environment, log } = await anEventStore(t)
  const settings = await Promise.all(
    [1, 2].map(async (n) => ({ ...settingOf(server, environment, n), data: await temporaryData(t) })),
  )
  const services: Killable[] = await Promise.all(settings.map((setting) => startKillable(t, setting)))
  const any = (): Killable => random.oneOf(services)
  let time = Date.parse(NOW)
  const pass = async (milliseconds: number): Promise<void> => {
    time += milliseconds
    for (const { setClock } of services) await setClock(new Date(time).toISOString())
  }
  const sut_id = await putSut(any(), await aDoublingSut(t))
  let [reservation, end] = ['', 0]
  const visit = async (instance: number): Promise<void> => {
    for (let n = random.below(4); n > 0; n--) {
      const socket = await tryToConnect(port, 'abc', hostOf(instance))
      if (random.below(2) === 0) socket?.end()
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (time >= end) {
      const at = any()
      reservation = await reserveIt(at, sut_id)
      end = Date.parse(String((await at.as('alice').get(`/api/sut_reservation/${reservation}`)).json.end_time))
    }
    const isOpen = async (): Promise<boolean> =>
      (await tryToConnect(port, 'abc', hostOf(1 + (round % 2)))) !== undefined
    await until('the port is open', isOpen, SOON)
    const visits = Promise.all([visit(1), visit(2)])
    const killed = random.below(2)
    // Kills at a random time on purpose, so it waits for no condition.
    await delay(random.below(KILL_WITHIN))
    if (random.below(3) === 0) {
      await any().as('alice').request('POST', `/api/sut_reservation/${reservation}/cancel`)
      end = 0
    }
    await services[killed]?.kill()
    await visits
    const staying = services[1 - killed] as Killable
    services.splice(0, 2, staying)
    await pass(random.oneOf(STEPS))
    const setting = { ...settings[killed], now: new Date(time).toISOString() } as Parameters<typeof startKillable>[1]
    services.splice(killed, 0, await startKillable(t, setting))
  }
  await pass(2 * 3_600_000)
  const found = async () => judge((await log()) as readonly Row[], time - 10_000)
  const isDone = async (): Promise<boolean> => {
    await pass(10_000)
    return (await found()).faults.length === 0
  }
  await until('all is recorded', isDone, SOON).catch(() => undefined)
  const { faults, counts } = await found()
  t.deepEqual(faults, [])
  t.log(counts)
  t.true(counts.sessions > 1)
})

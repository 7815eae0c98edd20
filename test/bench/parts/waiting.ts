/** Releases and creates by id of a service with a long queue, beside one with the same SUTs and nobody in its queue. */

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile, type Sample, type startServer, withServers } from '../measure/processes.ts'
import type { Watched } from '../measure/quiet.ts'
import { type Alternation, alternate, rowOf } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { checkLog } from '../scale/checks.ts'
import { ask, forEach, importSuts, perSecond, type Reserved } from '../servers/berth.ts'
import { type Berth, makeCreator, type Setting, startService, writeLines } from '../servers/creating.ts'

const PACED = join(import.meta.dirname, '../load/paced.lua')
const SUTS = 1_000
const OF_RACK = 100
/** The most that a lab and a user may have. */
const [WAITING, OF_USER] = [10_000, 100]
const DAY_S = 86_400
const HOUR_S = 3_600
/** Quarter-hours of the two days before creates by id: on the first every SUT is in use. */
const LATER = 192
/** Seconds of a sample at least: of 500 creates a second and ten releases, p99 needs some. */
const SECONDS_MIN = 4
const RELEASES_APART_MS = 100
const LOOKS_APART_MS = 2
/** A machine that nobody has after this long is none that is merely slow. */
const GRANTED_WITHIN_MS = 30_000
const WARM_UP = 3

interface Lab extends Berth {
  /** Reservations that run, one of each SUT. */
  readonly running: Reserved[]
}

const startLab = async (start: typeof startServer, name: string, from: number, setting: Setting): Promise<Lab> => {
  const ports = { BERTH_LISTEN_PORTS: `${from}-${from + SUTS}` }
  const service = await startService(start, name, setting, ports)
  const { server, user } = service
  const ids = await importSuts(server, SUTS, (n) => ({ tags: { rack: `${Math.floor(n / OF_RACK)}` } }))
  const running: Reserved[] = []
  await forEach(SUTS, async (n) => {
    const now = { user_id: user, sut_id: ids[n], start_in: 0, duration: DAY_S }
    running.push((await ask(server.url, '/api/sut_reservation/create', now)) as Reserved)
  })
  const sutsFile = writeLines(`${service.data}-suts`, ids)
  const creator = makeCreator(server, { user, sutsFile, seconds: setting.seconds, from: LATER * SUTS })
  return { ...service, sutsFile, creator, running }
}

/** The nth request, of a user who waits for nothing else at the end of the benchmark. */
const request = ({ server }: Lab, n: number, user_id: string) => {
  const match = { tags: { rack: `${n % (SUTS / OF_RACK)}` } }
  const body = { user_id, match, duration: HOUR_S * (1 + (n % 8)), wait: 7 * DAY_S }
  return ask(server.url, '/api/sut_request/create', body)
}

const fillQueue = async (lab: Lab): Promise<void> => {
  const users: string[] = []
  for (let n = 0; n < WAITING / OF_USER; n += 1) {
    users.push((await ask(lab.server.url, '/api/user/create', { name: `waiting ${n}`, role: 'tester' }))._id)
  }
  await forEach(WAITING, (n) => request(lab, n, users[Math.floor(n / OF_USER)] ?? ''))
}

/** The reservation of a SUT that follows one that was released. */
const nextOf = async ({ server }: Lab, { _id, sut_id }: Reserved): Promise<Reserved> => {
  const [from, to] = [0, DAY_S].map((seconds) => new Date(Date.now() + seconds * 1_000).toISOString())
  const query = new URLSearchParams({ sut_id, from: String(from), to: String(to) })
  const until = performance.now() + GRANTED_WITHIN_MS
  while (performance.now() < until) {
    const { sut_reservations } = (await ask(server.url, `/api/sut_reservation?${query}`)) as unknown as {
      readonly sut_reservations: readonly Reserved[]
    }
    const next = sut_reservations.find((other) => other._id !== _id)
    if (next !== undefined) return next
    await delay(LOOKS_APART_MS)
  }
  throw new Error(`a SUT that ${WAITING} wait for was granted to nobody`)
}

/** Releases SUTs in turn until the end. Resolves to the milliseconds until each was reserved again. */
const releaseUntil = async (lab: Lab, ended: AbortSignal): Promise<readonly number[]> => {
  const taken: number[] = []
  const granted: string[] = []
  while (!ended.aborted) {
    const released = lab.running.shift() as Reserved
    const begun = performance.now()
    await ask(lab.server.url, `/api/sut_reservation/${released._id}/cancel`, {})
    const next = await nextOf(lab, released)
    taken.push(performance.now() - begun)
    lab.running.push(next)
    granted.push(next.user_id)
    await delay(RELEASES_APART_MS)
  }
  // The next sample, too, is beside a full queue.
  for (const [n, user] of granted.entries()) await request(lab, n, user)
  return taken
}

/** A sample of creates, with the milliseconds from each release to the next reservation. */
interface Beside extends Sample {
  readonly granted?: readonly number[]
}

const besideReleases = (lab: Lab, count: (granted: number) => void) => async (): Promise<Watched<Beside>> => {
  const end = new AbortController()
  const releasing = releaseUntil(lab, end.signal)
  const watched = await lab.creator.sampleWith(PACED, []).finally(() => end.abort())
  const granted = await releasing
  count(granted.length)
  return { ...watched, taken: { ...watched.taken, granted } }
}

type Name = 'without' | 'beside' | 'fullWithout' | 'fullBeside'

const rowsOf = (alternation: Alternation<Name, Beside>): readonly TableRow[] => {
  const until = (what: string, q: number, more: Partial<TableRow>): TableRow =>
    rowOf(
      alternation,
      {
        what: `from a release to the next reservation, ${WAITING} waiting for ${SUTS} SUTs, ${what}`,
        unit: 'ms',
        ...more,
      },
      ({ beside }) => quantile(beside.granted ?? [], q),
    )
  return [
    until('p50', 0.5, { digits: 1 }),
    until('p99', 0.99, { digits: 1, must: { most: 100 } }),
    rowOf(
      alternation,
      { what: `p99 of 500 creates a second beside these, to that with nobody waiting`, must: { most: 1.5 } },
      ({ beside, without }) => beside.p99 / without.p99,
    ),
    rowOf(
      alternation,
      {
        what: `creates at the full rate beside ${WAITING} waiting, to those with nobody waiting`,
        must: { least: 0.98 },
      },
      ({ fullBeside, fullWithout }) => perSecond(fullBeside) / perSecond(fullWithout),
    ),
  ]
}

export const waitingRows = (given: Setting): Promise<readonly TableRow[]> => {
  const setting = { ...given, seconds: Math.max(SECONDS_MIN, given.seconds) }
  return withServers(async (start) => {
    const without = await startLab(start, 'nobody-waiting', 20_000, setting)
    const lab = await startLab(start, 'waiting', 30_000, setting)
    setting.say(`making ${WAITING} requests, which takes half a minute, or two on a busy machine`)
    await fillQueue(lab)
    let grants = 0
    const beside = besideReleases(lab, (count) => {
      grants += count
    })
    const alternation = await alternate<Name, Beside>(
      {
        without: () => without.creator.sampleWith(PACED, []),
        beside,
        fullWithout: () => without.creator.sample(),
        fullBeside: () => lab.creator.sample(),
      },
      { ...setting, warmUp: WARM_UP },
    )
    for (const { data, creator, running } of [without, lab]) {
      const { accepted, cutOff } = creator.answered()
      const more = running.length + (data === lab.data ? grants : 0)
      setting.say(`Berth: ${checkLog(data, { accepted: accepted + more, cutOff })}`)
    }
    return rowsOf(alternation)
  })
}

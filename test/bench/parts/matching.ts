/** Requests for any SUT that fits, over many SUTs of which half are taken, compared with creates by id. */

import { join } from 'node:path'
import { load, type Sample, type startServer, withServers } from '../measure/processes.ts'
import { type Watched, watch } from '../measure/quiet.ts'
import { type Alternation, alternate, rowOf } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { checkLog } from '../scale/checks.ts'
import { ask, authorization, forEach, importSuts } from '../servers/berth.ts'
import { type Answered, type Berth, makeCreator, type Setting, startService, writeLines } from '../servers/creating.ts'

const SCRIPT = join(import.meta.dirname, '../load/match.lua')
const SUTS = 10_000
const OF_RACK = 100
/** One of two of each system. */
const isTaken = (n: number): boolean => n % 4 < 2
const taggedAs = (n: number) => ({
  os: n % 2 === 0 ? 'windows' : 'linux',
  tags: { rack: `${Math.floor(n / OF_RACK)}`, half: isTaken(n) ? 'taken' : 'free' },
})
const DAY = 86_400_000
/** No request waits for another. */
const CONNECTIONS = 1
const WARM_UP = 5

interface Lab extends Berth {
  /** Start of the day on which half of the SUTs are taken, in Unix milliseconds. Creates by id do not reach it. */
  readonly day: number
  /** Reservations of the preparation. */
  readonly made: number
}

const startLab = async (start: typeof startServer, setting: Setting): Promise<Lab> => {
  const ports = { BERTH_LISTEN_PORTS: `20000-${20_000 + SUTS}` }
  const service = await startService(start, 'matching', setting, ports)
  const { server, user } = service
  const ids = await importSuts(server, SUTS, taggedAs)
  const taken = ids.filter((_, n) => isTaken(n))
  const day = (Math.floor(Date.now() / DAY) + 2) * DAY
  const [start_time, end_time] = [day, day + DAY].map((time) => new Date(time).toISOString())
  const take = (which: object) => ask(server.url, '/api/sut_reservation/create', { ...which, start_time, end_time })
  await forEach(taken.length, (n) => take({ sut_id: taken[n] }))
  // The first search after a start reads every calendar.
  await take({ match: { os: 'windows' } })
  const sutsFile = writeLines(`${service.data}-suts`, ids)
  const creator = makeCreator(server, { user, sutsFile, seconds: setting.seconds })
  return { ...service, sutsFile, creator, day, made: taken.length + 1 }
}

/** Requests for any SUT in the quarter-hours of the day in turn, all answered with one status. */
const makeMatching = ({ server, day }: Lab, seconds: number, status: number, criteria: (nth: number) => object) => {
  let [samples, requested] = [0, 0]
  const sample = async (): Promise<Watched<Sample>> => {
    const args = [String(requested), String(day / 1_000), authorization, JSON.stringify(criteria(samples))]
    const watched = await watch(server, () => load(server.url, SCRIPT, CONNECTIONS, seconds, args))
    const { requests, statuses } = watched.taken
    if (statuses[status] !== requests) throw new Error(JSON.stringify(watched.taken))
    samples += 1
    requested += requests
    return watched
  }
  return { sample, answered: (): Answered => ({ accepted: requested, cutOff: samples * CONNECTIONS }) }
}

/** Two racks, others in each sample: one sample does not fill them. */
const racks = (nth: number): readonly string[] => [2 * nth, 2 * nth + 1].map((rack) => String(rack % (SUTS / OF_RACK)))

const rowsOf = (alternation: Alternation<'byId' | 'anywhere' | 'inRacks' | 'refused'>): readonly TableRow[] => {
  const row = (name: 'anywhere' | 'inRacks' | 'refused', what: string, most: number): TableRow =>
    rowOf(
      alternation,
      { what: `${what}, of ${SUTS}, to a create by id, p50`, must: { most } },
      (round) => round[name].p50 / round.byId.p50,
    )
  return [
    row('anywhere', `a create on any of ${SUTS / 2} SUTs, half of them taken`, 5),
    row('inRacks', `a create on any of ${OF_RACK} SUTs, half of them taken`, 5),
    row('refused', `a refusal for any of ${SUTS / 2} SUTs, all taken`, 10),
    rowOf(alternation, { what: 'a create by id, 1 connection, p50', unit: 'us', digits: 0 }, ({ byId }) => byId.p50),
  ]
}

export const matchingRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const { seconds, say } = setting
    say(`making ${SUTS} SUTs, half of them taken, which takes some ten seconds`)
    const lab = await startLab(start, setting)
    const anywhere = makeMatching(lab, seconds, 201, () => ({ os: 'windows' }))
    const inRacks = makeMatching(lab, seconds, 201, (nth) => ({ os: 'linux', tags: { rack: racks(nth) } }))
    const refused = makeMatching(lab, seconds, 409, () => ({ tags: { half: 'taken' } }))
    const byId = () => lab.creator.sample(CONNECTIONS)
    const samplers = { byId, anywhere: anywhere.sample, inRacks: inRacks.sample, refused: refused.sample }
    const alternation = await alternate(samplers, { ...setting, warmUp: WARM_UP })
    const all = [lab.creator, anywhere, inRacks].map(({ answered }) => answered())
    const sum = (of: (answered: Answered) => number): number => all.reduce((total, one) => total + of(one), 0)
    const accepted = lab.made + sum((one) => one.accepted)
    say(`Berth: ${checkLog(lab.data, { accepted, cutOff: sum((one) => one.cutOff) })}`)
    return rowsOf(alternation)
  })

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import {
  isLinux,
  LOAD_CORE,
  load,
  memoryOf,
  requireTools,
  type Server,
  type startServer,
  withServers,
} from '../measure/processes.ts'
import { watch } from '../measure/quiet.ts'
import { type Alternation, alternate, rowOf, type Taken } from '../measure/sampling.ts'
import { type TableRow, tableOf } from '../measure/table.ts'
import { ask, authorization, SCRIPT } from '../servers/berth.ts'
import { CONNECTIONS, loadWell, writeLines } from '../servers/creating.ts'
import { startOver, untilReady } from './bookings.ts'
import { inRounds, rowOf as rowOfRounds } from './rounds.ts'
import { begin } from './seed.ts'
import { type Ahead, type AheadLab, seedAhead } from './seed-ahead.ts'

/** Creates with many future windows, and with many idempotency keys of the last day. */

const KEYED = join(import.meta.dirname, '../load/keyed.lua')
/** Warm-up in seconds: streams are folded for the first time, and the code is compiled. */
const WARM_UP = 15
const ROUNDS = 7
/** Commands of the last day with an idempotency key. */
const KEYS = 1_000_000

type Make = (ahead: Ahead) => Promise<AheadLab>
const grouped = (n: number): string => n.toLocaleString('en')

/** Creates after the seeded windows, some quarters later, because time passes. */
const makeLoad = (lab: AheadLab, script: string) => {
  let next = lab.windows + 12 * lab.suts
  const { administrator } = lab.people
  return async ({ url }: Server, seconds: number, isWarm = true) => {
    const file = writeLines(join(lab.data, 'suts'), lab.ids)
    const taken = await (isWarm ? loadWell : load)(url, script, CONNECTIONS, seconds, [
      `${next}`,
      administrator,
      authorization,
      file,
    ])
    next += taken.requests + 2 * CONNECTIONS
    return taken
  }
}

const sampler = async (lab: AheadLab, script: string, start: typeof startServer) => {
  const service = await startOver(lab.data, start)
  await untilReady(service)
  const creating = makeLoad(lab, script)
  // Fold each stream once, which takes longer with more windows.
  for (let made = 0; made < 3 * lab.suts; ) made += (await creating(service, WARM_UP, false)).requests
  return { service, sample: () => watch(service, () => creating(service, 1)) }
}

/** CPU time of creates on several labs, with all services running, and their memory afterwards. */
const compare = <Name extends string>(
  labs: Readonly<Record<Name, AheadLab>>,
  script: string,
  say: (line: string) => void,
): Promise<{ alternation: Alternation<Name>; memory: Readonly<Record<Name, number>> }> =>
  withServers(async (start) => {
    const samplers = {} as Record<Name, Awaited<ReturnType<typeof sampler>>>
    for (const name of Object.keys(labs) as Name[]) samplers[name] = await sampler(labs[name], script, start)
    const entries = Object.entries(samplers) as [Name, (typeof samplers)[Name]][]
    const samples = Object.fromEntries(entries.map(([name, { sample }]) => [name, sample]))
    const alternation = await alternate(samples as Record<Name, (typeof samplers)[Name]['sample']>, {
      rounds: ROUNDS,
      say,
    })
    const memory = Object.fromEntries(entries.map(([name, { service }]) => [name, memoryOf(service.pid).now]))
    return { alternation, memory: memory as Record<Name, number> }
  })

const cpuOf = ({ cpu, requests }: Taken): number => cpu / requests

const windowRows = async (suts: number, millions: number, make: Make, say: (line: string) => void) => {
  const few = await make({ suts, windows: 1_000 })
  const million = await make({ suts, windows: 1_000_000 })
  const many = await make({ suts, windows: millions * 1_000_000 })
  const { alternation, memory } = await compare({ few, million, many }, SCRIPT, say)
  const of = `windows ahead of ${grouped(suts)} SUTs`
  const mb = (what: string, figure: number, most: number): TableRow => ({
    ...{ what, figures: [figure], unit: 'MB', digits: 0, must: { most } },
  })
  return [
    rowOf(
      alternation,
      { what: `CPU of a create with 1,000,000 ${of}, to 1,000`, must: { most: 1.2 } },
      ({ few, million }) => cpuOf(million) / cpuOf(few),
    ),
    rowOf(
      alternation,
      { what: `CPU of a create with ${millions},000,000 ${of}, to 1,000`, must: { most: 2 } },
      ({ few, many }) => cpuOf(many) / cpuOf(few),
    ),
    rowOf(alternation, { what: `CPU of a create with 1,000 ${of}`, unit: 'us', digits: 0 }, ({ few }) => cpuOf(few)),
    mb(`memory with 1,000,000 ${of}`, memory.million, 600),
    mb(`memory with each further million ${of}`, (memory.many - memory.million) / (millions - 1), 250),
  ]
}

/** Duration of the first create on a SUT after a restart or a kill, in milliseconds. */
const firstCreate = async (lab: AheadLab, isKilled: boolean): Promise<number> => {
  const [sut_id = ''] = lab.ids
  const create = async ({ url }: Server, quarter: number): Promise<number> => {
    await ask(url, '/api/user/me')
    const start = Math.ceil(Date.now() / 1_000 / QUARTER + lab.windows + quarter) * QUARTER
    const [start_time, end_time] = [start, start + QUARTER].map((time) => new Date(time * 1_000).toISOString())
    const began = performance.now()
    const headers = { user_id: lab.people.administrator, sut_id, start_time, end_time }
    await ask(url, '/api/sut_reservation/create', headers)
    return performance.now() - began
  }
  const before = await startOver(lab.data)
  await untilReady(before)
  const from = 20 + Math.floor(Math.random() * 100_000)
  for (let n = 0; n < 300; n++) await create(before, from + n)
  if (isKilled) process.kill(before.pid, 'SIGKILL')
  await before.stop()
  const after = await startOver(lab.data)
  try {
    await untilReady(after)
    return await create(after, from + 300)
  } finally {
    await after.stop()
  }
}

/** Idempotency keys in the largest state that is saved. */
const SAVED_KEYS = 40_000

const firstRows = async (make: Make) => {
  const rows: TableRow[] = []
  const ms = { unit: 'ms', digits: 1 }
  // The largest states that are saved as snapshots.
  const long = await make({ suts: 1, windows: 15_000 })
  const restarted = await inRounds(5, () => firstCreate(long, false))
  const what = 'the first create on a SUT with 15,000 windows ahead'
  rows.push(rowOfRounds(restarted, { what: `${what}, after a restart`, ...ms, must: { most: 20 } }, (took) => took))
  const keyed = await make({ suts: 1, windows: 0, cancelled: SAVED_KEYS / 2, isKeyed: true })
  const killed = await inRounds(5, () => firstCreate(keyed, true))
  const ofKeys = `the first create on a SUT with ${grouped(SAVED_KEYS)} idempotency keys of a day`
  rows.push(rowOfRounds(killed, { what: `${ofKeys}, after a kill`, ...ms, must: { most: 100 } }, (took) => took))
  return rows
}

/** Keys of a day, and how much more a create may cost with them. */
const KEY_BOUNDS = [
  [100_000, 1.2],
  [KEYS, 2],
] as const

const keyRows = async (
  suts: number,
  [keys, most]: (typeof KEY_BOUNDS)[number],
  make: Make,
  say: (line: string) => void,
): Promise<readonly TableRow[]> => {
  const none = await make({ suts, windows: 0, cancelled: keys / 2 })
  const keyed = await make({ suts, windows: 0, cancelled: keys / 2, isKeyed: true })
  const { alternation } = await compare({ none, keyed }, KEYED, say)
  const what = `CPU of a create with ${grouped(keys)} idempotency keys of a day on ${grouped(suts)} SUTs, to none`
  return [rowOf(alternation, { what, must: { most } }, ({ none, keyed }) => cpuOf(keyed) / cpuOf(none))]
}

export const aheadRows = async (
  millions: number,
  only: readonly string[],
  say: (line: string) => void,
): Promise<readonly TableRow[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  try {
    const empty = join(directory, 'empty')
    const people = await begin(empty)
    const make: Make = async (ahead) => {
      const data = mkdtempSync(join(directory, 'lab-'))
      cpSync(empty, data, { recursive: true })
      say(`${grouped(ahead.windows)} windows of ${grouped(ahead.suts)} SUTs`)
      return seedAhead(data, people, ahead)
    }
    const rows: TableRow[] = []
    if (only.includes('first')) rows.push(...(await firstRows(make)))
    for (const suts of [500, 10_000]) {
      if (only.includes(`windows${suts}`)) rows.push(...(await windowRows(suts, millions, make, say)))
    }
    for (const suts of [500, 1]) {
      if (!only.includes(`keys${suts}`)) continue
      for (const bound of KEY_BOUNDS) rows.push(...(await keyRows(suts, bound, make, say)))
    }
    return rows
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const ALL = 'first,windows500,windows10000,keys500,keys1'

if (import.meta.main) {
  const options = { millions: { type: 'string', default: '5' }, only: { type: 'string', default: ALL } } as const
  const { values } = parseArgs({ options })
  requireTools()
  if (isLinux) execFileSync('taskset', ['-acp', LOAD_CORE, String(process.pid)])
  const began = performance.now()
  const say = (line: string): void => {
    process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
  }
  process.stdout.write(tableOf(await aheadRows(Number(values.millions), values.only.split(','), say)))
}

/**
 * The service with a thousand events, and with a hundred and a thousand times as many: what each costs, and what does not
 * grow. The longest log has enough events to list a million reservations.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runScript, startServer } from '../measure/processes.ts'
import { rowOf, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { MAIN } from '../servers/berth.ts'
import { environmentOf } from '../servers/creating.ts'
import { checkLog } from './checks.ts'
import { eventsUntil, type Scale, seed } from './seed.ts'
import { creates, type Lab, makeBookings, memory, starts } from './service.ts'

const STARTS = 5
/** Two processes on the same log can differ by more than the bound, so there are several pairs. */
const PAIRS = 4
const CREATES = { rounds: 2, seconds: 2 }
const SMALLEST = 1_000

interface Options {
  /** Number of reservations listed by the longest log. */
  readonly events: number
  readonly say: (line: string) => void
}

type Make = (name: string, scale: Scale) => Promise<Lab>

const grouped = (n: number): string => n.toLocaleString('en')

/** Enough SUTs for each pair of services to use different ones. */
const sutsFor = (events: number): number =>
  events === SMALLEST ? 200 : Math.max(200 * PAIRS, Math.floor(events / 100))
const manySuts = (events: number, suts = sutsFor(events)): Scale => ({ events, suts, every: 200 })

/** Measurements of every log. */
const measureLog = async (lab: Lab, empty: string) => ({
  lab,
  started: await starts(lab.data, empty, STARTS),
  held: await memory(lab),
})
type Measured = Awaited<ReturnType<typeof measureLog>>

const MB = { unit: 'MB', digits: 0 }

/** Rows of every log. */
const figuresOf = ({ lab, started, held }: Measured): readonly TableRow[] => {
  const log = `${grouped(lab.events)} events of ${grouped(lab.suts)} SUTs`
  return [
    { what: `start with ${log}`, unit: 's', figures: started.map(([withLog]) => withLog / 1_000) },
    { what: `memory, ${log}`, ...MB, figures: [held.most] },
    { what: `memory at its peak, ${log}`, ...MB, figures: [held.peak] },
  ]
}

/** Rows with bounds, for the longest log. */
const boundsOf = ({ lab, started, held }: Measured): readonly TableRow[] => {
  const log = `${grouped(lab.events)} events`
  return [
    {
      ...{ what: `start with ${log}, to one with none`, must: { most: 3 }, aim: { most: 1.5 } },
      figures: started.map(([withLog, withNone]) => withLog / withNone),
    },
    {
      ...{ what: `memory with ${log} of ${grouped(lab.suts)} SUTs`, ...MB, must: { most: 400 }, aim: { most: 250 } },
      figures: [held.most],
    },
  ]
}

const createRow = async (long: Lab, makeShort: () => Promise<Lab>, say: Options['say']): Promise<TableRow> => {
  const what = `CPU of a create with ${grouped(long.events)} events, to one with ${grouped(SMALLEST)}`
  const pairs: Awaited<ReturnType<typeof creates>>[] = []
  for (let nth = 0; nth < PAIRS; nth++) {
    const short = await makeShort()
    pairs.push(await creates({ long, short }, { ...CREATES, nth, say }))
    say(checkLog(short.data, short.bookings.answered()))
  }
  say(checkLog(long.data, long.bookings.answered()))
  const cpuOf = ({ cpu, requests }: Taken): number => cpu / requests
  // The busiest says how busy it was.
  const busy = pairs.flatMap((one) => one.busy ?? [])
  const rounds = pairs.flatMap((one) => one.rounds)
  return rowOf(
    { rounds, ...(busy.length > 0 && { busy: Math.max(...busy) }) },
    { what, must: { most: 1.1 }, aim: { most: 1.03 } },
    (round) => cpuOf(round.long) / cpuOf(round.short),
  )
}

const measure = async ({ events, say }: Options, make: Make, empty: string): Promise<readonly TableRow[]> => {
  const few = await make('few', manySuts(SMALLEST))
  say((await runScript([MAIN, 'verify'], environmentOf(few.data))).trim())
  const some = await make('some', manySuts(Math.floor(events / 10)))
  const suts = sutsFor(events)
  const many = await make('many', manySuts(eventsUntil(events, suts), suts))
  const measured: Measured[] = []
  for (const lab of [few, some, many]) {
    say(`--- ${grouped(lab.events)} events`)
    measured.push(await measureLog(lab, empty))
  }
  const create = await createRow(many, () => make('few', manySuts(SMALLEST)), say)
  return [...boundsOf(measured.at(-1) as Measured), create, ...measured.flatMap(figuresOf)]
}

/** Rows that compare the service with few and many events. */
export const scaleRows = async (options: Options): Promise<readonly TableRow[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  try {
    const empty = join(directory, 'empty')
    await (await startServer([MAIN, 'serve'], environmentOf(empty))).stop()
    const make: Make = async (name, scale) => {
      const lab = await seed(mkdtempSync(join(directory, `${name}-`)), scale)
      options.say(`${grouped(scale.events)} events of ${scale.suts} SUTs`)
      return { ...lab, bookings: makeBookings(lab) }
    }
    return await measure(options, make, empty)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

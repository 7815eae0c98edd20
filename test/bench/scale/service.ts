import { CONNECTIONS } from '../creating.ts'
import { memoryOf, withServers } from '../processes.ts'
import { watch } from '../quiet.ts'
import { type Alternation, alternate, type Options } from '../sampling.ts'
import { type Lab, startOver, untilReady } from './bookings.ts'
import { read } from './lists.ts'
import { bothWays, inRounds, type Rounds } from './rounds.ts'

/** What a service over a log costs by how long the log is. */

/** Starts of each that are tried for each that counts. */
const TRIES = 3

/** Milliseconds until it listens. */
const startOf = async (data: string): Promise<number> => {
  const service = await startOver(data)
  await service.stop()
  return service.startedWithin
}

/** Milliseconds of starts over a log and over an empty one, in turns. */
export const starts = (
  data: string,
  empty: string,
  rounds: number,
): Promise<Rounds<readonly [withLog: number, empty: number]>> =>
  inRounds(
    rounds,
    (round) =>
      bothWays(
        round,
        () => startOf(data),
        () => startOf(empty),
      ),
    TRIES,
  )

export interface Memory {
  /** Megabytes: of what was held after the start, after reads and after creates. */
  readonly most: number
  readonly peak: number
}

const READS = 3_000
const LISTS = 300

/** What the service holds after a start, after reads at random and lists, and after creates on every SUT. */
export const memory = async (lab: Lab): Promise<Memory> => {
  const service = await startOver(lab.data)
  try {
    await untilReady(service)
    const held = [memoryOf(service.pid).now]
    const at = (all: readonly string[]): string => all[Math.floor(Math.random() * all.length)] as string
    for (let n = 0; n < READS; n++) await read(service.url, `/api/sut_reservation/${at(lab.some)}`)
    for (let n = 0; n < LISTS; n++) await read(service.url, `/api/sut_reservation?sut_id=${at(lab.ids)}`)
    held.push(memoryOf(service.pid).now)
    await lab.bookings.many(service, lab.ids, CONNECTIONS, 3)
    const { now, peak } = memoryOf(service.pid)
    return { most: Math.max(...held, now), peak }
  } finally {
    await service.stop()
  }
}

/** So many of the SUTs, from the first to the last; another `nth` has others, where there are enough. */
const someOf = (ids: readonly string[], count: number, nth: number): readonly string[] => {
  const every = Math.floor(ids.length / count)
  return Array.from({ length: count }, (_, n) => ids[n * every + (nth % every)] as string)
}

/** Seconds of creates before any is measured: streams are folded for the first time, and the service is being compiled. */
const WARM_UP = 12

interface Creating extends Options {
  readonly seconds: number
  /** Which time it is: each has SUTs of its own in the long log, so that none comes to have more ahead than in the short. */
  readonly nth: number
}

/** Creates on as many SUTs of a long log as a short one has, both services alive. */
export const creates = (
  { long, short }: Readonly<Record<'long' | 'short', Lab>>,
  options: Creating,
): Promise<Alternation<'long' | 'short'>> =>
  withServers(async (start) => {
    const sampler = async (lab: Lab) => {
      const service = await startOver(lab.data, start)
      await untilReady(service)
      const suts = someOf(lab.ids, short.ids.length, options.nth)
      await lab.bookings.many(service, suts, CONNECTIONS, WARM_UP)
      return () => watch(service, () => lab.bookings.many(service, suts, CONNECTIONS, options.seconds))
    }
    // Which is started first, and warmed up, may matter.
    if (options.nth % 2 === 0) return alternate({ long: await sampler(long), short: await sampler(short) }, options)
    return alternate({ short: await sampler(short), long: await sampler(long) }, options)
  })

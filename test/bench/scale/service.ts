import { memoryOf, withServers } from '../measure/processes.ts'
import { watch } from '../measure/quiet.ts'
import { type Alternation, alternate, type Options } from '../measure/sampling.ts'
import { authorization } from '../servers/berth.ts'
import { CONNECTIONS } from '../servers/creating.ts'
import { type Lab, startOver, untilReady } from './bookings.ts'
import { inRounds, type Rounds } from './rounds.ts'

/** The cost of a service by the length of its log. */

const read = async (url: string, path: string): Promise<void> => {
  const answer = await fetch(url + path, { headers: { authorization } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
}

/** Milliseconds until a service listens. */
const startOf = async (data: string): Promise<number> => {
  const service = await startOver(data)
  await service.stop()
  return service.startedWithin
}

/** Duration of starts with a log and with another one, in alternating order, in milliseconds. */
export const starts = (
  data: string,
  other: string,
  rounds: number,
): Promise<Rounds<readonly [withLog: number, withOther: number]>> =>
  inRounds(rounds, async (round) => {
    if (round % 2 === 0) return [await startOf(data), await startOf(other)]
    const second = await startOf(other)
    return [await startOf(data), second]
  })

export interface Memory {
  /** Megabytes: the largest of memory after the start, after reads and after creates. */
  readonly most: number
  readonly peak: number
}

const READS = 3_000
const LISTS = 300

/** Memory of the service after a start, after random reads and lists, and after creates on every SUT. */
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

/** `count` SUTs, evenly spread; each `nth` selects different ones, if there are enough. */
const someOf = (ids: readonly string[], count: number, nth: number): readonly string[] => {
  const every = Math.floor(ids.length / count)
  return Array.from({ length: count }, (_, n) => ids[n * every + (nth % every)] as string)
}

/** Warm-up in seconds: streams are folded for the first time, and the code is compiled. */
const WARM_UP = 12

interface Creating extends Options {
  readonly seconds: number
  /** Number of the repetition. Each uses other SUTs of the long log, so that none gets more windows than in the short one. */
  readonly nth: number
}

/** Creates on equally many SUTs of a long and a short log, with both services running. */
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
    // The order of starting and warming up may matter.
    if (options.nth % 2 === 0) return alternate({ long: await sampler(long), short: await sampler(short) }, options)
    return alternate({ short: await sampler(short), long: await sampler(long) }, options)
  })

/** The cost of a service by the length of its log. */

import { join } from 'node:path'
import { memoryOf, type Sample, type Server, startServer, withServers } from '../measure/processes.ts'
import { watch } from '../measure/quiet.ts'
import { type Alternation, alternate, type Options } from '../measure/sampling.ts'
import { authorization, MAIN, SCRIPT } from '../servers/berth.ts'
import { type Answered, CONNECTIONS, environmentOf, loadWell, writeLines } from '../servers/creating.ts'
import { ADMINISTRATOR, quartersAhead, type Seeded } from './seed.ts'

/** Starts the service over a lab's data. */
const startOver = (data: string, start: typeof startServer = startServer): Promise<Server> =>
  start([MAIN, 'serve'], environmentOf(data))

/** Waits until a service has read its whole log. */
const untilReady = async ({ url }: Server): Promise<void> => {
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Makes further reservations on a lab's SUTs, after the existing ones. */
export const makeBookings = (lab: Seeded) => {
  let quarter = quartersAhead(lab)
  let answered: Answered = { accepted: lab.made, cutOff: 0 }
  return {
    /** As many as possible, in sequence on each connection. */
    many: async ({ url }: Server, suts: readonly string[], seconds: number): Promise<Sample> => {
      const first = quarter * suts.length
      const args = [String(first), ADMINISTRATOR, authorization, writeLines(join(lab.data, 'suts'), suts)]
      const taken = await loadWell(url, SCRIPT, CONNECTIONS, seconds, args)
      quarter = Math.ceil((first + taken.requests + 2 * CONNECTIONS) / suts.length) + 1
      answered = { accepted: answered.accepted + taken.requests, cutOff: answered.cutOff + CONNECTIONS }
      return taken
    },
    /** What the log must contain. */
    answered: (): Answered => answered,
  }
}

export interface Lab extends Seeded {
  readonly bookings: ReturnType<typeof makeBookings>
}

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
export const starts = async (data: string, other: string, rounds: number) => {
  const taken: (readonly [withLog: number, withOther: number])[] = []
  while (taken.length < rounds) {
    const first = taken.length % 2 === 1 ? await startOf(other) : undefined
    taken.push([await startOf(data), first ?? (await startOf(other))])
  }
  return taken
}

interface Memory {
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
    await lab.bookings.many(service, lab.ids, 3)
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
      await lab.bookings.many(service, suts, WARM_UP)
      return () => watch(service, () => lab.bookings.many(service, suts, options.seconds))
    }
    // The order of starting and warming up may matter.
    if (options.nth % 2 === 0) return alternate({ long: await sampler(long), short: await sampler(short) }, options)
    return alternate({ short: await sampler(short), long: await sampler(long) }, options)
  })

import { readFileSync } from 'node:fs'
import { cpuOf, isLinux, ownCpu, type Server } from './processes.ts'

/**
 * How much of a core may go to others during a sample. A tenth of what there are of cores here: it moves a figure by
 * about as much as figures differ between quiet samples.
 */
export const FOREIGN_MAX = 0.2

/** What is known at some moment. All times are microseconds. */
export interface Moment {
  /** The text of /proc/stat. */
  readonly stat: string
  /** CPU that the server and the load have used so far. */
  readonly used: number
  readonly at: number
}

/** /proc/stat counts hundredths of a second. */
const TICK = 10_000

const cpuIn = (stat: string): { readonly busy: number; readonly stolen: number } => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? []
  return { busy: (user + nice + system + irq + softirq) * TICK, stolen: steal * TICK }
}

/** Cores that went to others meanwhile, on this machine or, where it is a virtual one, on its host. */
export const foreignCores = (before: Moment, after: Moment): number => {
  const [from, to] = [cpuIn(before.stat), cpuIn(after.stat)]
  const others = to.busy - from.busy - (after.used - before.used)
  // The two are counted in different ways, so that it may seem to be less than none.
  return (Math.max(0, others) + to.stolen - from.stolen) / (after.at - before.at)
}

/** What was taken, and what went on beside it. */
export interface Watched<A> {
  readonly taken: A
  /** Microseconds of CPU that the server used. */
  readonly cpu: number
  /** Cores; nothing is known of them where there is no /proc. */
  readonly foreign: number | undefined
}

/** Takes a sample of one server; what another still does then counts as foreign. */
export const watch = async <A>(server: Server, take: () => Promise<A>): Promise<Watched<A>> => {
  if (!isLinux) return { taken: await take(), cpu: Number.NaN, foreign: undefined }
  const look = (): Moment & { readonly cpu: number } => {
    const cpu = cpuOf(server.pid, ...server.pids)
    const at = performance.now() * 1_000
    return { stat: readFileSync('/proc/stat', 'utf8'), cpu, used: cpu + ownCpu(), at }
  }
  const before = look()
  const taken = await take()
  const after = look()
  return { taken, cpu: after.cpu - before.cpu, foreign: foreignCores(before, after) }
}

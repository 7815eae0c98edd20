import { readFileSync } from 'node:fs'
import { cpuOf, isLinux, ownCpu, type Server } from './processes.ts'

/**
 * Maximum foreign load during a sample, in cores: a tenth of two cores. Its effect on a figure is about as large as the
 * variation between quiet samples.
 */
export const FOREIGN_MAX = 0.2

/** CPU counters at a moment. All times are in microseconds. */
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

/** Cores used by others between two moments, on this machine or on the host of a virtual one. */
const foreignCores = (before: Moment, after: Moment): number => {
  const [from, to] = [cpuIn(before.stat), cpuIn(after.stat)]
  const others = to.busy - from.busy - (after.used - before.used)
  // The two counters differ in precision, so the difference may be negative.
  return (Math.max(0, others) + to.stolen - from.stolen) / (after.at - before.at)
}

/** A sample, with the CPU used by the server and by others. */
export interface Watched<A> {
  readonly taken: A
  /** Microseconds of CPU that the server used. */
  readonly cpu: number
  /** Foreign load in cores; undefined without /proc. */
  readonly foreign: number | undefined
}

/** Takes a sample of one server. Work of other servers counts as foreign load. */
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

import { join } from 'node:path'
import { PASSWORD, serve } from '../../process/harness.ts'
import { basic, type Client } from '../client.ts'
import { type Tidying, temporaryData } from '../harness.ts'
import { gather, type SlowClients } from './slow-crowd.ts'

/** Milliseconds of a well-behaved client's request. */
interface Latency {
  readonly p50: number
  readonly p99: number
}

export interface Compared {
  readonly requests: number
  /** Bytes that slow clients sent during the measurement, and how often one was cut off. */
  readonly drips: number
  readonly cutOff: number
  readonly alone: Latency
  readonly beside: Latency
  /** Latency with slow clients relative to without: the median over rounds, robust against a single disturbance. */
  readonly ratio: number
  /** The ratio of the 99th percentiles. */
  readonly ratioP99: number
}

interface Rounds {
  readonly rounds: number
  /** Milliseconds of a round without and with slow clients. */
  readonly alone: number
  readonly beside: number
}

const quantile = (times: readonly number[], q: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * q)] as number
const median = (times: readonly number[]): number => quantile(times, 0.5)
const latencyOf = (times: readonly number[]): Latency => ({ p50: median(times), p99: quantile(times, 0.99) })

/** The milliseconds of each of a client's consecutive requests, over the given time. */
const latencies = async (client: Client, milliseconds: number): Promise<number[]> => {
  const times: number[] = []
  const end = performance.now() + milliseconds
  for (let begun = performance.now(); begun < end; begun = performance.now()) {
    const { status } = await client.get('/api/sut')
    times.push(performance.now() - begun)
    if (status !== 200) throw new Error(`a good client was answered ${status}`)
  }
  return times
}

/** A client's latencies alternately without and with slow clients, for a service in its own process. */
export const besideSlowClients = async (
  scope: Tidying,
  slow: SlowClients,
  { rounds, alone, beside }: Rounds,
): Promise<Compared> => {
  const service = await serve(scope, { data: join(await temporaryData(scope), 'data') })
  await latencies(service, alone)
  const times: { alone: number[][]; beside: number[][] } = { alone: [], beside: [] }
  const seen = { drips: 0, cutOff: 0 }
  for (let i = 0; i < rounds; i++) {
    // Lets the cost of opening and closing connections pass before the measurement.
    await latencies(service, alone / 4)
    times.alone.push(await latencies(service, alone))
    const crowd = await gather(service.port, basic('admin', PASSWORD), slow)
    await latencies(service, alone / 4)
    const before = { ...crowd.seen }
    times.beside.push(await latencies(service, beside))
    seen.drips += crowd.seen.drips - before.drips
    seen.cutOff += crowd.seen.cutOff - before.cutOff
    await crowd.leave()
  }
  const [without, withThem] = [latencyOf(times.alone.flat()), latencyOf(times.beside.flat())]
  return {
    requests: times.alone.flat().length + times.beside.flat().length,
    ...seen,
    alone: without,
    beside: withThem,
    ratio: median(times.beside.map((each, i) => median(each) / median(times.alone[i] as number[]))),
    ratioP99: withThem.p99 / without.p99,
  }
}

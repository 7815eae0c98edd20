import type { Sut } from '../../projections/sut.ts'
import type { OfflineCause } from '../domain/events/monitoring.ts'

/** The result of a probe. */
export interface Probed {
  /** Undefined if the SUT was reached. */
  readonly cause: OfflineCause | undefined
  readonly milliseconds: number
}

/** Connects to a SUT. Rejects if the attempt was impossible, for example because its password cannot be read. */
export type Probe = (
  sut: Pick<Sut, '_id' | 'address' | 'port' | 'sut_type'>,
  signal: AbortSignal,
) => Promise<OfflineCause | undefined>

export interface ProbingOptions {
  readonly probe: Probe
  /** Whether a SUT has an open session. It is then online and not probed. */
  readonly isInUse: (sutId: string) => boolean
  /** Called with each result, before the probe resolves. */
  readonly count: (sut: Sut, probed: Probed) => Promise<void>
  /** Called with the outcome of each probe. */
  readonly onProbe: (outcome: 'reachable' | 'in_use' | OfflineCause) => void
  readonly signal: AbortSignal
}

/** Probes a limited number of SUTs at a time, and each only once at a time. */
export interface Probing {
  /** Probes ahead of everything in `ifRoom`; joins a probe in flight. */
  readonly now: (sut: Sut) => Promise<Probed>
  /** Probes if a slot is free; otherwise undefined. */
  readonly ifRoom: (sut: Sut) => Promise<Probed> | undefined
}

const CONCURRENCY = 64

/** A SUT and its address: a probe of another address says nothing about this one. */
const machineOf = ({ _id, address, port, sut_type }: Sut): string => `${_id} ${sut_type} ${address} ${port}`

export const makeProbing = ({ probe, isInUse, count, onProbe, signal }: ProbingOptions): Probing => {
  const inFlight = new Map<string, Promise<Probed>>()
  const waiting: (() => void)[] = []
  let taken = 0

  const take = (): Promise<void> | undefined => {
    if (taken < CONCURRENCY) {
      taken++
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) taken--
    else next()
  }

  const probeOnce = async (sut: Sut): Promise<Probed> => {
    if (isInUse(sut._id)) {
      onProbe('in_use')
      return { cause: undefined, milliseconds: 0 }
    }
    const turn = take()
    if (turn !== undefined) await turn
    try {
      const began = performance.now()
      const cause = await probe(sut, signal)
      onProbe(cause ?? 'reachable')
      return { cause, milliseconds: performance.now() - began }
    } finally {
      release()
    }
  }

  const run = async (sut: Sut): Promise<Probed> => {
    const probed = await probeOnce(sut)
    await count(sut, probed)
    return probed
  }

  const now: Probing['now'] = (sut) => {
    const machine = machineOf(sut)
    const joined = inFlight.get(machine)
    if (joined !== undefined) return joined
    const probed = run(sut).finally(() => inFlight.delete(machine))
    inFlight.set(machine, probed)
    return probed
  }

  return { now, ifRoom: (sut) => (taken < CONCURRENCY ? now(sut) : undefined) }
}

import type { Sut } from '../../../projections/sut.ts'
import { makeTurns } from '../../concurrency/turns.ts'
import type { ProbeFinding, ProbeResult } from '../../domain/monitoring/decide.ts'
import type { Cause } from '../../domain/monitoring/status.ts'
import type { Use } from '../sessions/tracker.ts'

/** Connects to a SUT. Rejects if the attempt was impossible, for example because its password cannot be read. */
export type Probe = (
  sut: Pick<Sut, '_id' | 'address' | 'port' | 'sut_type'>,
  signal: AbortSignal,
) => Promise<ProbeFinding | undefined>

export interface ProbingOptions {
  readonly probe: Probe
  /** The open session of a SUT, which is then not probed. It is online while it answers. */
  readonly useOf: (sutId: string) => Promise<Use | undefined> | Use | undefined
  /** Called with each result, before the probe resolves. Undefined: nothing could be found out. */
  readonly count: (sut: Sut, probed: ProbeResult | undefined) => Promise<void>
  readonly onProbe: (outcome: 'reachable' | 'in_use' | Cause) => void
  readonly signal: AbortSignal
}

const CONCURRENCY = 64
const SLOTS = 'slots'

/** A SUT and its address: a probe of another address says nothing about this one. */
const machineOf = ({ _id, address, port, sut_type }: Sut): string => `${_id} ${sut_type} ${address} ${port}`

/** Probes a limited number of SUTs at a time, and each only once at a time. */
export const makeProbing = ({ probe, useOf, count, onProbe, signal }: ProbingOptions) => {
  const inFlight = new Map<string, Promise<ProbeResult | undefined>>()
  const turns = makeTurns({ limit: CONCURRENCY })

  const probeOnce = async (sut: Sut): Promise<ProbeResult | undefined> => {
    const use = await useOf(sut._id)
    if (use !== undefined) {
      onProbe('in_use')
      return use === 'unanswered' ? undefined : { cause: undefined, milliseconds: 0 }
    }
    const began = performance.now()
    const { cause } = (await probe(sut, signal)) ?? {}
    onProbe(cause ?? 'reachable')
    return { cause, milliseconds: performance.now() - began }
  }

  const run = async (sut: Sut): Promise<ProbeResult | undefined> => {
    const probed = await probeOnce(sut)
    await count(sut, probed)
    return probed
  }

  /** Probes what is found once there is room, or joins a probe of it that is in flight. */
  const inTurn = async (rank: number, find: () => Sut | undefined): Promise<ProbeResult | undefined> => {
    const turn = turns.acquire(SLOTS, { rank })
    if (turn !== undefined) await turn
    try {
      const sut = find()
      if (sut === undefined) return undefined
      const machine = machineOf(sut)
      const probed = inFlight.get(machine) ?? run(sut).finally(() => inFlight.delete(machine))
      inFlight.set(machine, probed)
      return await probed
    } finally {
      turns.release(SLOTS)
    }
  }

  return {
    /** Probes ahead of all that are probed later. Undefined if an open session says nothing of the SUT. */
    now: (sut: Sut) => inTurn(0, () => sut),
    /** Looks for the SUT once there is room. */
    later: (find: () => Sut | undefined) => inTurn(1, find),
  }
}

import type { Gateway } from '../gateway/gateway.ts'
import type { Target } from './targets.ts'
import type { Upcoming } from './upcoming.ts'

/** Why a reservation is no longer forwarded. */
type CloseCause = 'over' | 'released' | 'barred'

interface Options {
  readonly gateway: Pick<Gateway, 'open' | 'close'>
  readonly targetOf: (sutId: string) => Target | undefined
  /** Whether the clock is trusted. While it is not, nothing is cut by time. */
  readonly isTrusted: () => boolean
  readonly onError: (error: unknown) => void
}

/** Reads targets, and keeps for which reservations that failed. Callers also follow the views, and must not throw. */
const makeTargetReads = ({ targetOf, onError }: Pick<Options, 'targetOf' | 'onError'>) => {
  const failed = new Set<string>()
  return {
    read: ({ _id, sut_id }: Upcoming): Target | undefined => {
      try {
        return targetOf(sut_id)
      } catch (error) {
        // Reported once until the next attempt: such a read fails for every reservation.
        if (failed.size === 0) onError(error)
        failed.add(_id)
        return undefined
      }
    },
    takeFailed: (): readonly string[] => {
      const ids = [...failed]
      failed.clear()
      return ids
    },
  }
}

/** The reservations whose ports are open here. Bounded by the listen ports. */
export const makeOpenPorts = ({ gateway, targetOf, isTrusted, onError }: Options) => {
  const open = new Map<string, Upcoming>()
  const bySut = new Map<string, Map<string, Upcoming>>()
  const inFlight = new Set<Promise<unknown>>()
  const reads = makeTargetReads({ targetOf, onError })

  /** Passes the current target and end of a reservation to the gateway, which drops its cached verdicts. */
  const forward = (reservation: Upcoming): void => {
    const { _id, listen_port, ends: end } = reservation
    const target = reads.read(reservation)
    if (target === undefined) return
    const { host, port, protocol } = target
    const until = isTrusted() ? end : null
    // The gateway reports a port that it cannot open, and retries.
    const opening = gateway
      .open({ reservationId: _id, listenPort: listen_port, host, port, protocol, until })
      .catch(onError)
      .finally(() => inFlight.delete(opening))
    inFlight.add(opening)
  }

  return {
    get: (id: string): Upcoming | undefined => open.get(id),
    all: (): Iterable<Upcoming> => open.values(),
    ofSut: (sutId: string): Iterable<Upcoming> => bySut.get(sutId)?.values() ?? [],
    /** Opens the port of a reservation, or moves its end. */
    put: (reservation: Upcoming): void => {
      const { _id, sut_id } = reservation
      open.set(_id, reservation)
      const ofSut = bySut.get(sut_id) ?? new Map<string, Upcoming>()
      bySut.set(sut_id, ofSut.set(_id, reservation))
      forward(reservation)
    },
    close: (id: string, cause: CloseCause): void => {
      const reservation = open.get(id)
      if (reservation === undefined) return
      open.delete(id)
      const ofSut = bySut.get(reservation.sut_id)
      ofSut?.delete(id)
      if (ofSut?.size === 0) bySut.delete(reservation.sut_id)
      gateway.close(id, cause)
    },
    forward,
    /** Removes and returns the ids of reservations whose target could not be read to forward them. */
    takeFailed: reads.takeFailed,
    /** Resolves when the gateway has tried to open every port so far. */
    tried: async (): Promise<void> => {
      await Promise.all(inFlight)
    },
  }
}

export type OpenPorts = ReturnType<typeof makeOpenPorts>

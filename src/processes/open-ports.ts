import type { Gateway } from '../gateway/gateway.ts'
import { makeAgenda } from './agenda.ts'
import type { Target } from './targets.ts'
import type { Upcoming } from './upcoming.ts'

/** Why a reservation is no longer forwarded. */
export type CloseCause = 'over' | 'released' | 'barred'

/** The reservations whose ports are open here. Bounded by the listen ports. */
export interface OpenPorts {
  readonly get: (id: string) => Upcoming | undefined
  readonly all: () => Iterable<Upcoming>
  readonly ofSut: (sutId: string) => Iterable<Upcoming>
  /** Opens the port of a reservation, or takes its new end. */
  readonly put: (reservation: Upcoming) => void
  readonly close: (id: string, cause: CloseCause) => void
  /** Tells the gateway again where a reservation's SUT is and when it ends. Remembered verdicts are forgotten. */
  readonly forward: (reservation: Upcoming) => void
  /** Resolves when every port opened so far has been tried. */
  readonly tried: () => Promise<void>
  /** The ids of those that have ended. */
  readonly takeOver: (now: number) => readonly string[]
}

interface Options {
  readonly gateway: Pick<Gateway, 'open' | 'close'>
  readonly targetOf: (sutId: string) => Target | undefined
  /** Whether ends count: while the clock is not trusted, nothing is cut by time. */
  readonly isTrusted: () => boolean
  readonly onError: (error: unknown) => void
}

export const makeOpenPorts = ({ gateway, targetOf, isTrusted, onError }: Options): OpenPorts => {
  const open = new Map<string, Upcoming>()
  const bySut = new Map<string, Map<string, Upcoming>>()
  const ends = makeAgenda()
  const underWay = new Set<Promise<unknown>>()

  const forward = ({ _id, sut_id, listen_port, ends: end }: Upcoming): void => {
    const target = targetOf(sut_id)
    if (target === undefined) return
    const { host, port, protocol } = target
    const until = isTrusted() ? end : null
    // A port that cannot be opened is reported, and tried again.
    const opening = gateway
      .open({ reservationId: _id, listenPort: listen_port, host, port, protocol, until })
      .catch(onError)
      .finally(() => underWay.delete(opening))
    underWay.add(opening)
  }

  return {
    get: (id) => open.get(id),
    all: () => open.values(),
    ofSut: (sutId) => bySut.get(sutId)?.values() ?? [],
    put: (reservation) => {
      const { _id, sut_id } = reservation
      open.set(_id, reservation)
      const ofSut = bySut.get(sut_id) ?? new Map<string, Upcoming>()
      bySut.set(sut_id, ofSut.set(_id, reservation))
      ends.set(_id, reservation.ends)
      forward(reservation)
    },
    close: (id, cause) => {
      const reservation = open.get(id)
      if (reservation === undefined) return
      open.delete(id)
      ends.delete(id)
      const ofSut = bySut.get(reservation.sut_id)
      ofSut?.delete(id)
      if (ofSut?.size === 0) bySut.delete(reservation.sut_id)
      gateway.close(id, cause)
    },
    forward,
    tried: async () => {
      await Promise.all(underWay)
    },
    takeOver: ends.takeDue,
  }
}

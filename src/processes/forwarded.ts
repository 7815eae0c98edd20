import { makeWaits } from '../concurrency/waits.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import type { Clock } from '../domain/values/units.ts'
import type { ConnectionFailure } from '../gateway/connections/causes.ts'
import type { ConnectionEnd } from '../gateway/messages.ts'
import type { Upcoming } from './upcoming.ts'

/** Why a port is not open. They no longer hold once it is. */
const PORT_CAUSES: ReadonlySet<string> = new Set(['port_taken', 'port_unusable'])

/** Maximum calls that wait until a port is open. */
const WAITS_MAX = 4_096

export interface RunningReservation {
  readonly reservation: Upcoming
  /** Since when its holder may use reservations without a break. */
  accessSince: number
}

interface Entry extends RunningReservation {
  /** Since when its port is open, in Unix milliseconds; undefined while it is not. */
  openSince: number | undefined
  /** The last failure to reach its SUT, or to open its port. */
  lastError: LastError | undefined
}

interface LastError {
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string
  readonly cause: string
  /** What the SUT says of it, as it may be passed on. */
  readonly reason?: string
}

interface ForwardedOptions {
  readonly clock: Clock
  readonly alarms: Readonly<Record<'raise' | 'clear', (part: 'gateway', sentence: string) => void>>
}

const makeCounts = () => {
  const counts = new Map<string, number>()
  const connections = (id: string): number => counts.get(id) ?? 0
  const add = (id: string, change: 1 | -1): void => {
    if (connections(id) + change === 0) counts.delete(id)
    else counts.set(id, connections(id) + change)
  }
  return {
    connections,
    connected: (id: string): void => add(id, 1),
    disconnected: ({ reservationId }: ConnectionEnd): void => add(reservationId, -1),
  }
}

/** What this instance forwards, and what is known of it. Bounded by the listen ports. */
export const makeForwarded = ({ clock, alarms }: ForwardedOptions) => {
  const entries = new Map<string, Entry>()
  /** Those whose ports the gateway cannot open. */
  const taken = new Set<string>()
  const waits = makeWaits()
  const openSince = (id: string): number | undefined => entries.get(id)?.openSince

  const failed = (id: string, failure: { readonly cause: string } & Omit<ConnectionFailure, 'cause'>): void => {
    // It may be over by the time this is reported.
    const entry = entries.get(id)
    if (entry !== undefined) entry.lastError = { time: formatMilliseconds(clock()), ...failure }
  }
  /** The port is open, or the reservation is over or no longer forwarded. */
  const settle = (id: string): void => {
    if (taken.delete(id) && taken.size === 0) alarms.clear('gateway', 'every port of a running reservation is open')
  }

  return {
    ...makeCounts(),
    ...{ openSince, failed },
    get: (id: string): RunningReservation | undefined => entries.get(id),
    all: (): Iterable<RunningReservation> => entries.values(),
    has: (id: string): boolean => entries.has(id),
    lastError: (id: string): LastError | undefined => entries.get(id)?.lastError,
    /** Adds a reservation, or replaces what is known of it. */
    put: (forwarded: RunningReservation): void => {
      const id = forwarded.reservation._id
      const { openSince, lastError } = entries.get(id) ?? {}
      entries.set(id, { ...forwarded, openSince, lastError })
    },
    /** Whether it was forwarded. Ends the waits for it in any case. */
    delete: (id: string): boolean => {
      const wasForwarded = entries.delete(id)
      settle(id)
      waits.recheck(id, true)
      return wasForwarded
    },
    portOpened: (id: string): void => {
      const entry = entries.get(id)
      if (entry !== undefined) {
        entry.openSince ??= clock()
        if (PORT_CAUSES.has(entry.lastError?.cause ?? '')) entry.lastError = undefined
      }
      settle(id)
      waits.recheck(id, true)
    },
    /** @param code that of the error, such as EADDRINUSE */
    portTaken: (id: string, port: number, code: string): void => {
      failed(id, { cause: code === 'EADDRINUSE' ? 'port_taken' : 'port_unusable' })
      const entry = entries.get(id)
      if (entry !== undefined) {
        entry.openSince = undefined
        taken.add(id)
        alarms.raise('gateway', `port ${port} cannot be opened (${code}); retrying every 10 s`)
      }
      // Who waits is answered, with that.
      waits.recheck(id, true)
    },
    /** No port is open any more. */
    setAllClosed: (): void => {
      for (const entry of entries.values()) entry.openSince = undefined
    },
    /**
     * Resolves once its port is open here, once that will never be, after `within` milliseconds, when `signal` aborts, or
     * when waits end. At once if too many wait already.
     */
    waitUntilOpen: async (id: string, within: number, signal?: AbortSignal): Promise<void> => {
      if (waits.count() < WAITS_MAX) await waits.until(id, () => openSince(id) !== undefined, within, signal)
    },
    /** Ends all waits, and lets nothing wait again. */
    endWaits: waits.end,
  }
}

export type ForwardedReservations = ReturnType<typeof makeForwarded>

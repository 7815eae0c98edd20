import { LRUCache } from 'lru-cache'
import { makeWaits } from '../concurrency/waits.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import type { ConnectionFailure } from '../gateway/connections/causes.ts'
import type { ConnectionEnd } from '../gateway/messages.ts'
import type { Upcoming } from './upcoming.ts'

/** Maximum reservations whose last error is kept. The least recently used is evicted. */
const ERRORS_MAX = 10_000

/** Why a port is not open. They no longer hold once it is. */
const PORT_CAUSES: ReadonlySet<string> = new Set(['port_taken', 'port_unusable'])

/** Maximum calls that wait until a port is open. */
const WAITS_MAX = 4_096

/** A reservation that is forwarded here. */
export interface RunningReservation {
  readonly reservation: Upcoming
  /** Since when its holder may use reservations without a break. */
  accessSince: number
}

interface Entry extends RunningReservation {
  /** Since when its port is open, in Unix milliseconds; undefined while it is not. */
  openSince: number | undefined
  /** Whether the gateway cannot open the port. */
  isTaken: boolean
}

interface LastError {
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string
  readonly cause: string
  /** What the SUT says of it, as it may be passed on. */
  readonly reason?: string
}

interface ForwardedOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly alarms: Readonly<Record<'raise' | 'clear', (part: 'gateway', sentence: string) => void>>
}

/** The numbers of open connections. */
const makeCounts = () => {
  const counts = new Map<string, number>()
  const connections = (id: string): number => counts.get(id) ?? 0
  return {
    connections,
    connected: (id: string): void => void counts.set(id, connections(id) + 1),
    disconnected: ({ reservationId }: ConnectionEnd): void => {
      const others = connections(reservationId) - 1
      if (others === 0) counts.delete(reservationId)
      else counts.set(reservationId, others)
    },
  }
}

/** The last failure to reach the SUT of each reservation, or to open its port. */
const makeLastErrors = (clock: () => number) => {
  const errors = new LRUCache<string, LastError>({ max: ERRORS_MAX })
  return {
    lastError: (id: string): LastError | undefined => errors.get(id),
    failed: (id: string, failure: { readonly cause: string } & Omit<ConnectionFailure, 'cause'>): void =>
      void errors.set(id, { time: formatMilliseconds(clock()), ...failure }),
    portIsOpen: (id: string): void => {
      if (PORT_CAUSES.has(errors.peek(id)?.cause ?? '')) errors.delete(id)
    },
  }
}

const makeEntries = ({ clock, alarms }: ForwardedOptions) => {
  const entries = new Map<string, Entry>()
  let isTrusted = true
  return {
    entries,
    /** Undefined from the reservation's end on, although it is closed a moment later. */
    running: (id: string): Entry | undefined => {
      const entry = entries.get(id)
      return entry !== undefined && (!isTrusted || clock() < entry.reservation.ends) ? entry : undefined
    },
    /** Whether the clock is trusted. While it is not, nothing ends by time. */
    trustClock: (mayTrust: boolean): void => {
      isTrusted = mayTrust
    },
    /** The port is open, or the reservation is over or no longer forwarded. */
    settle: (entry: Entry): void => {
      if (!entry.isTaken) return
      entry.isTaken = false
      if (![...entries.values()].some(({ isTaken }) => isTaken))
        alarms.clear('gateway', 'every port of a running reservation is open')
    },
  }
}

/** What this instance forwards, and what is known of it. Bounded by the listen ports. */
export const makeForwarded = (options: ForwardedOptions) => {
  const { clock, alarms } = options
  const { entries, running, trustClock, settle } = makeEntries(options)
  const waits = makeWaits()
  const { portIsOpen, ...errors } = makeLastErrors(clock)
  const openSince = (id: string): number | undefined => running(id)?.openSince

  return {
    ...{ ...errors, ...makeCounts(), openSince, trustClock },
    get: (id: string): RunningReservation | undefined => entries.get(id),
    all: (): Iterable<RunningReservation> => entries.values(),
    has: (id: string): boolean => running(id) !== undefined,
    /** Adds a reservation, or replaces what is known of it. */
    put: (forwarded: RunningReservation): void => {
      const id = forwarded.reservation._id
      const { openSince, isTaken = false } = entries.get(id) ?? {}
      entries.set(id, { ...forwarded, openSince, isTaken })
    },
    /** Whether it was forwarded. Ends the waits for it in any case. */
    delete: (id: string): boolean => {
      const entry = entries.get(id)
      entries.delete(id)
      if (entry !== undefined) settle(entry)
      waits.recheck(id, true)
      return entry !== undefined
    },
    portOpened: (id: string): void => {
      portIsOpen(id)
      const entry = entries.get(id)
      if (entry !== undefined) {
        entry.openSince ??= clock()
        settle(entry)
      }
      waits.recheck(id, true)
    },
    /** @param code that of the error, such as EADDRINUSE */
    portTaken: (id: string, port: number, code: string): void => {
      errors.failed(id, { cause: code === 'EADDRINUSE' ? 'port_taken' : 'port_unusable' })
      // It may be over by the time this is reported.
      const entry = entries.get(id)
      if (entry !== undefined) {
        entry.openSince = undefined
        entry.isTaken = true
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
     * Resolves once its port is open here, once that will never be, after `within` milliseconds, or when waits end. At
     * once if too many wait already.
     */
    waitUntilOpen: async (id: string, within: number): Promise<void> => {
      if (waits.count() < WAITS_MAX) await waits.until(id, () => openSince(id) !== undefined, within)
    },
    /** Ends all waits, and lets nothing wait again. */
    endWaits: waits.end,
  }
}

export type ForwardedReservations = ReturnType<typeof makeForwarded>

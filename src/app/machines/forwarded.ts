import { LRUCache } from 'lru-cache'
import { makeWaits } from '../../concurrency/waits.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import type { ConnectionFailure, CutCause } from '../../gateway/connections/causes.ts'
import type { Decisions, Gateway } from '../../gateway/gateway.ts'
import type { ConnectionEnd, Forwarding } from '../../gateway/messages.ts'
import type { AttachedEnd, Forwarded, LastError } from '../../http/response/forwarded.ts'

/** Maximum reservations whose last error is kept. The least recently used is evicted. */
const ERRORS_MAX = 10_000

/** Why a port is not open. They no longer hold once it is. */
const PORT_CAUSES: ReadonlySet<string> = new Set(['port_taken', 'port_unusable'])

/** Maximum calls that wait until a port is open. */
const WAITS_MAX = 4_096

/** Clients in this process, until they are released. */
const makeAttachedClients = () => {
  const clients = new Map<number, { readonly reservationId: string; readonly end: (cause: AttachedEnd) => void }>()
  return {
    add: (connection: number, reservationId: string) => {
      const { promise: ended, resolve: end } = Promise.withResolvers<AttachedEnd>()
      clients.set(connection, { reservationId, end })
      return { ended, leave: () => void clients.delete(connection) }
    },
    end: (connection: number, cause: AttachedEnd): void => clients.get(connection)?.end(cause),
    /** For clients not yet connected to the SUT, whose end the gateway does not report. */
    endAll: (reservationId: string, cause: AttachedEnd): void => {
      for (const client of clients.values()) if (client.reservationId === reservationId) client.end(cause)
    },
  }
}

interface Forwards {
  /** Since when its port is open, in Unix milliseconds; undefined while it is not. */
  openSince: number | undefined
  /** Its end in Unix milliseconds; null while the clock is not trusted. */
  until: number | null
}

/** Forwarded reservations, and the calls waiting for one. */
const makeForwardings = (clock: () => number) => {
  const forwardings = new Map<string, Forwards>()
  const waits = makeWaits()
  /** Undefined from the reservation's end on, although it is closed a moment later. */
  const running = (id: string): Forwards | undefined => {
    const found = forwardings.get(id)
    return found !== undefined && (found.until === null || clock() < found.until) ? found : undefined
  }
  const openSince = (id: string): number | undefined => running(id)?.openSince
  const isPortOpen = (id: string): boolean => openSince(id) !== undefined
  return {
    running,
    isPortOpen,
    openSince,
    open: ({ reservationId: id, until }: Pick<Forwarding, 'reservationId' | 'until'>): void => {
      forwardings.set(id, { openSince: forwardings.get(id)?.openSince, until })
      waits.recheck(id)
    },
    close: (id: string): void => {
      forwardings.delete(id)
      waits.recheck(id, true)
    },
    setOpen: (id: string, isOpen: boolean): void => {
      const found = forwardings.get(id)
      if (found !== undefined) found.openSince = isOpen ? (found.openSince ?? clock()) : undefined
      // Also who waits while another program has the port is answered, with that.
      waits.recheck(id, true)
    },
    setAllClosed: (): void => {
      for (const each of forwardings.values()) each.openSince = undefined
    },
    /** Bounded by the requests in flight. */
    waitFor: async (id: string, within: number): Promise<boolean> => {
      await waits.until(id, () => running(id) !== undefined, within)
      return running(id) !== undefined
    },
    waitUntilOpen: async (id: string, within: number): Promise<void> => {
      if (waits.count() < WAITS_MAX) await waits.until(id, () => isPortOpen(id), within)
    },
    /** Ends the waits for a reservation that was cancelled or released. */
    giveUp: (id: string) => waits.recheck(id, true),
    /** Ends all waits, and lets nothing wait again. */
    endWaits: waits.end,
  }
}

/** How the gateway takes clients of this process. */
export interface Attaching extends Pick<Gateway, 'attach'> {
  /** Whether the vault has a password of the reservation's SUT. */
  readonly hasPassword: (reservationId: string) => Promise<boolean>
  readonly onRefused: Decisions['onRefused']
}

/**
 * What this instance forwards, as routes see it, and as it is told of by the process that has the gateway forward. Empty
 * until the gateway is open.
 *
 * @param clock Unix milliseconds
 */
export const makeForwarded = (clock: () => number) => {
  const { running, close, setOpen, ...forwardings } = makeForwardings(clock)
  /** Numbers of open connections. */
  const counts = new Map<string, number>()
  const errors = new LRUCache<string, LastError>({ maxSize: ERRORS_MAX, sizeCalculation: () => 1 })
  const clients = makeAttachedClients()
  let gateway: Attaching | undefined
  const forwarded: Forwarded = {
    ...forwardings,
    connections: (id) => counts.get(id) ?? 0,
    lastError: (id) => errors.get(id),
    has: (id) => running(id) !== undefined,
    attach: async (id) => {
      if (gateway === undefined) return { refused: 'over' }
      const attached = await gateway.attach(id, { hasPassword: await gateway.hasPassword(id) })
      if (!('refused' in attached)) return { ...clients.add(attached.connection, id), stream: attached.stream }
      gateway.onRefused(id, attached.refused, 1)
      return attached
    },
  }
  return {
    ...{ ...forwardings, ...forwarded },
    use: (opened: Attaching): void => {
      gateway = opened
    },
    close: (id: string, cause: CutCause): void => {
      close(id)
      clients.endAll(id, cause)
    },
    cut: clients.endAll,
    connected: (id: string): void => void counts.set(id, forwarded.connections(id) + 1),
    disconnected: ({ reservationId, connection, cause }: ConnectionEnd): void => {
      const others = forwarded.connections(reservationId) - 1
      if (others === 0) counts.delete(reservationId)
      else counts.set(reservationId, others)
      clients.end(connection, cause)
    },
    failed: (id: string, failure: ConnectionFailure): void =>
      void errors.set(id, { time: formatMilliseconds(clock()), ...failure }),
    portOpened: (id: string): void => {
      if (PORT_CAUSES.has(errors.peek(id)?.cause ?? '')) errors.delete(id)
      setOpen(id, true)
    },
    /** @param code that of the error, such as EADDRINUSE */
    portTaken: (id: string, code: string): void => {
      const cause = code === 'EADDRINUSE' ? 'port_taken' : 'port_unusable'
      errors.set(id, { time: formatMilliseconds(clock()), cause })
      setOpen(id, false)
    },
  }
}

export type ForwardedRegistry = ReturnType<typeof makeForwarded>

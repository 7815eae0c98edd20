import type { Duplex } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { ThreadEnded } from '../concurrency/thread.ts'
import { openPortStream } from './bridge/port-stream.ts'
import type { CutCause } from './connections/causes.ts'
import { type Decisions, makeAnswers, makeReportHandler } from './decisions.ts'
import { type Forwarding, LIMITS, type LimitReason, type Limits } from './forwarding.ts'
import type { GatewayOwner } from './messages.ts'
import { openThreads } from './thread.ts'

/** Forwards TCP to SUTs in a worker thread. Calls take effect in order. */
export interface Gateway {
  /**
   * Opens a port, or changes an open forwarding: target and protocol apply to new connections, `until` moves the end,
   * and cached verdicts are dropped. Another reservation on the same port ends as `over`.
   *
   * @returns whether the port is open; false if another program holds it (the gateway retries) or the end has passed
   */
  readonly open: (forwarding: Forwarding) => Promise<boolean>
  /** Frees the port and cuts every connection. */
  readonly close: (reservationId: string, cause: CutCause) => void
  /** Cuts every connection. The port stays open. */
  readonly cut: (reservationId: string, cause: CutCause) => void
  /**
   * Asks `admit` again about the address of each open connection. Cuts those no longer admitted, or no longer bound, as
   * `barred`.
   */
  readonly reconsider: (reservationId: string) => void
  /** Connects a client of this process as a bound one, without asking `admit`. */
  readonly attach: (
    reservationId: string,
    options: { readonly hasPassword: boolean },
  ) => Promise<AttachedConnection | AttachRefusal>
  /** Cuts every connection as `stopped`. Resolves when all ends have been reported. */
  readonly stop: () => Promise<void>
}

/** `stream` takes the place of a client's socket. It is destroyed when the connection is cut; see `onDisconnected`. */
export interface AttachedConnection {
  readonly stream: Duplex
  /** As in `onConnected` and `onDisconnected`. */
  readonly connection: number
}
export interface AttachRefusal {
  readonly refused: LimitReason
}

export interface GatewayOptions extends Partial<Limits> {
  readonly host: string
  /** Other ports of this service, its API's among them. */
  readonly ownPorts?: readonly number[]
  /** Unix milliseconds, for when connections begin and end. The machine's clock by default. */
  readonly clock?: () => number
}

/** The answer of a call that the end of the thread has left without one. */
const ifEnded =
  <A>(answer: A) =>
  (error: unknown): A => {
    if (error instanceof ThreadEnded) return answer
    throw error
  }

export const openGateway = (
  { host, ownPorts = [], clock = Date.now, ...limits }: GatewayOptions,
  decisions: Decisions,
): Gateway => {
  /** Open forwardings, which a new thread reopens after a failure. */
  const forwardings = new Map<string, Forwarding>()
  const reports = makeReportHandler(decisions, clock)

  const open = async (forwarding: Forwarding): Promise<boolean> => {
    const opened = threads.current()?.call('open', [forwarding])
    return (await opened?.catch(ifEnded(false))) ?? false
  }

  const owner: GatewayOwner = { ...makeAnswers(decisions), report: (all) => all.forEach(reports.take) }
  const threads = openThreads({ ...LIMITS, ...limits, host, ownPorts }, owner, {
    onFailed: (error) => {
      decisions.onThreadFailed(error)
      reports.loseAll()
    },
    onRestarted: () => {
      for (const forwarding of forwardings.values()) open(forwarding)
    },
  })

  return {
    open: (forwarding) => {
      forwardings.set(forwarding.reservationId, forwarding)
      return open(forwarding)
    },
    close: (reservationId, cause) => {
      forwardings.delete(reservationId)
      threads.current()?.tell('close', [reservationId, cause])
    },
    cut: (reservationId, cause) => threads.current()?.tell('cut', [reservationId, cause]),
    reconsider: (reservationId) => threads.current()?.tell('reconsider', [reservationId]),
    attach: async (reservationId, { hasPassword }) => {
      const { port1, port2: port } = new MessageChannel()
      const stream = openPortStream(port1)
      const attaching = threads.current()?.call('attach', [{ reservationId, hasPassword, port }], [port])
      const attached = (await attaching?.catch(ifEnded('undecided' as const))) ?? 'undecided'
      if (typeof attached === 'number') return { stream, connection: attached }
      stream.destroy()
      return { refused: attached }
    },
    stop: threads.stop,
  }
}

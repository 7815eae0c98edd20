import type { Duplex } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { openPortStream } from './bridge/port-stream.ts'
import type { CutCause } from './connections/causes.ts'
import type { Target } from './connections/dial.ts'
import { type Decisions, makeEvents } from './decisions.ts'
import type { Forwarding, LimitReason, Limits } from './forwarding.ts'
import type { Report, WorkerOptions } from './messages.ts'
import { startThread, type Thread } from './thread.ts'

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
  /**
   * Lets new connections to a target wait before they are made. Returns a function that ends that, to be called once.
   */
  readonly hold: (target: Target) => () => void
  /** Connects a client of this process as a bound one, without asking `admit`. */
  readonly attach: (
    reservationId: string,
    options: { readonly hasPassword: boolean },
  ) => Promise<Attached | NotAttached>
  /** Cuts every connection as `stopped`. Resolves when all ends have been reported. */
  readonly stop: () => Promise<void>
}

/** `stream` takes the place of a client's socket. It is destroyed when the connection is cut; see `onDisconnected`. */
export interface Attached {
  readonly stream: Duplex
  /** As in `onConnected` and `onDisconnected`. */
  readonly connection: number
}
export interface NotAttached {
  readonly refused: LimitReason
}

export interface GatewayOptions extends Partial<Limits> {
  readonly host: string
  /** Other ports of this service, its API's among them. */
  readonly ownPorts?: readonly number[]
  /** Unix milliseconds, for when connections begin and end. The machine's clock by default. */
  readonly clock?: () => number
}

const LIMITS: Limits = {
  connectionsMax: 4_096,
  connectionsOfOneMax: 64,
  connectTimeoutMs: 10_000,
  handshakeTimeoutMs: 30_000,
  halfClosedTimeoutMs: 300_000,
  displaceableAfterMs: 1_000,
  stuckAfterMs: 30_000,
  portRetryMs: 10_000,
  countEveryMs: 10_000,
}

/** Calls to the worker thread, by number. A call resolves to undefined if the thread fails before it answers. */
const makeCalls = <A>() => {
  const waiting = new Map<number, (answer: A | undefined) => void>()
  let last = 0
  return {
    make: (send: (call: number) => void): Promise<A | undefined> => {
      const { promise, resolve } = Promise.withResolvers<A | undefined>()
      waiting.set(++last, resolve)
      send(last)
      return promise
    },
    answer: (call: number, answer: A | undefined): void => {
      waiting.get(call)?.(answer)
      waiting.delete(call)
    },
    fail: (): void => {
      for (const resolve of waiting.values()) resolve(undefined)
      waiting.clear()
    },
  }
}

const makeHold =
  ({ order }: Thread): Gateway['hold'] =>
  ({ host, port }) => {
    order({ kind: 'hold', host, port })
    return () => order({ kind: 'release', host, port })
  }

type Answer = Extract<Report, { readonly kind: 'opened' | 'attached' }>

export const openGateway = (
  { host, ownPorts = [], clock = Date.now, ...limits }: GatewayOptions,
  decisions: Decisions,
): Gateway => {
  const options: WorkerOptions = { ...LIMITS, ...limits, host, ownPorts }
  /** Open forwardings, which a new thread reopens after a failure. */
  const forwardings = new Map<string, Forwarding>()
  const calls = makeCalls<Answer>()

  const onReport = (report: Report): void => {
    if (report.kind === 'opened' || report.kind === 'attached') calls.answer(report.call, report)
    else events.take(report)
  }

  const open = async (forwarding: Forwarding): Promise<boolean> => {
    const answer = await calls.make((call) => thread.order({ kind: 'open', call, forwarding }))
    return answer?.kind === 'opened' && answer.isOpen
  }

  const onFailed = (error: Error): void => {
    calls.fail()
    decisions.onThreadFailed(error)
    events.loseAll()
  }
  const onRestarted = (): void => {
    // Orders sent between the failure and the restart were dropped.
    calls.fail()
    for (const forwarding of forwardings.values()) open(forwarding)
  }

  const thread = startThread(options, { onReport, onFailed, onRestarted })
  const events = makeEvents(decisions, thread.order, clock)

  return {
    open: (forwarding) => {
      forwardings.set(forwarding.reservationId, forwarding)
      return open(forwarding)
    },
    close: (reservationId, cause) => {
      forwardings.delete(reservationId)
      thread.order({ kind: 'close', reservationId, cause })
    },
    cut: (reservationId, cause) => thread.order({ kind: 'cut', reservationId, cause }),
    reconsider: (reservationId) => thread.order({ kind: 'reconsider', reservationId }),
    hold: makeHold(thread),
    attach: async (reservationId, { hasPassword }) => {
      const { port1, port2: port } = new MessageChannel()
      const stream = openPortStream(port1)
      const answer = await calls.make((call) =>
        thread.order({ kind: 'attach', call, reservationId, hasPassword, port }),
      )
      if (answer?.kind === 'attached' && 'connection' in answer) return { stream, connection: answer.connection }
      stream.destroy()
      return { refused: answer?.kind === 'attached' ? answer.refused : 'undecided' }
    },
    stop: async () => {
      await thread.stop()
      calls.fail()
    },
  }
}

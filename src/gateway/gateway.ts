import type { Duplex } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { openThread, type Thread, ThreadEnded } from '../concurrency/thread.ts'
import { openPortStream } from './bridge/port-stream.ts'
import type { CutCause } from './connections/causes.ts'
import {
  type ConnectionEvent,
  type CountedReport,
  FORWARDING_LIMITS,
  type Forwarding,
  type ForwardingLimits,
  type GatewayOwner,
  type GatewayThread,
  type GatewayWorkerOptions,
  type LimitReason,
  type Reports,
  UNDECIDED,
  type Verdict,
  type WorkerReport,
} from './messages.ts'

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

export interface GatewayOptions extends Partial<ForwardingLimits> {
  readonly host: string
  /** Other ports of this service, its API's among them. */
  readonly ownPorts?: readonly number[]
  /** Unix milliseconds, for when connections begin and end. The machine's clock by default. */
  readonly clock?: () => number
}

/** Decisions that the main thread makes, and callbacks about what happens. A rejected promise refuses. */
export interface Decisions extends Reports {
  /** `address` is canonical: IPv4-mapped IPv6 as IPv4, no zone. */
  readonly admit: (reservationId: string, address: string) => Promise<Verdict> | Verdict
  /** The response to the 16-byte challenge of VNC Authentication; undefined if there is no password any more. */
  readonly answerChallenge: (
    reservationId: string,
    challenge: Uint8Array,
  ) => Promise<Uint8Array | undefined> | Uint8Array | undefined
  /** Why `admit` or `answerChallenge` was rejected. */
  readonly onUndecided: (reservationId: string, error: unknown) => void
  /** The thread failed; another one opens the same ports. */
  readonly onThreadFailed: (error: Error) => void
}

/** Answers the worker's questions. A rejected decision refuses. */
const makeAnswers = (decisions: Decisions): Pick<GatewayOwner, 'admit' | 'answerChallenge'> => {
  const decide = async <A>(reservationId: string, answer: () => Promise<A> | A, otherwise: A): Promise<A> => {
    try {
      return await answer()
    } catch (error) {
      decisions.onUndecided(reservationId, error)
      return otherwise
    }
  }
  return {
    admit: (id, address) => decide(id, () => decisions.admit(id, address), UNDECIDED),
    answerChallenge: (id, challenge) => decide(id, () => decisions.answerChallenge(id, challenge), undefined),
  }
}

/** Calls `decisions` for each report. */
const makeReportHandler = (decisions: Decisions, clock: () => number) => {
  const open = new Map<number, ConnectionEvent & CountedReport>()
  /** The worker reads the machine's clock. Only how long ago something happened is taken from it. */
  const timeOf = (at: number): number => clock() - Math.max(0, Date.now() - at)
  const handlers: Reports = {
    ...decisions,
    onConnected: (connected) => {
      const { milliseconds: _, ...begun } = connected
      open.set(connected.connection, { ...begun, bytesToSut: 0, bytesFromSut: 0 })
      decisions.onConnected({ ...connected, at: timeOf(connected.at) })
    },
    onCounted: (counted) => {
      const connected = open.get(counted.connection)
      if (connected !== undefined) open.set(counted.connection, { ...connected, ...counted })
      decisions.onCounted(counted)
    },
    onDisconnected: (end) => {
      open.delete(end.connection)
      decisions.onDisconnected({ ...end, at: timeOf(end.at) })
    },
  }
  return {
    take: ([name, ...args]: WorkerReport): void => (handlers[name] as (...args: readonly unknown[]) => void)(...args),
    /** Reports all connections as lost. */
    loseAll: (): void => {
      const lost = [...open.values()]
      open.clear()
      for (const each of lost) decisions.onDisconnected({ ...each, at: clock(), cause: 'lost' })
    },
  }
}

const RESTART_DELAY_MS = 1_000
const STOP_TIMEOUT_MS = 5_000
/** More than there are ports and connections. */
const CALLS_MAX = 100_000

/** Berth's own variables may have the vault's keys. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))

/** The worker thread, and another one after a failure. */
const openThreads = (
  workerData: GatewayWorkerOptions,
  local: GatewayOwner,
  hooks: {
    /** The thread has failed. There is none until it is restarted. */
    readonly onFailed: (error: Error) => void
    readonly onRestarted: () => void
  },
) => {
  let restart: NodeJS.Timeout | undefined

  const open = (): Thread<GatewayThread> =>
    openThread({
      module: new URL('./worker/gateway-worker.ts', import.meta.url),
      start: { name: 'gateway', workerData, env: environmentWithoutSecrets() },
      local,
      callsMax: CALLS_MAX,
      closeTimeoutMs: STOP_TIMEOUT_MS,
      onEnded: (error) => {
        thread = undefined
        hooks.onFailed(error.cause instanceof Error ? error.cause : error)
        restart = setTimeout(() => {
          thread = open()
          hooks.onRestarted()
        }, RESTART_DELAY_MS)
      },
    })
  let thread: Thread<GatewayThread> | undefined = open()

  return {
    /** Undefined between a failure and the restart. */
    current: () => thread,
    stop: async (): Promise<void> => {
      clearTimeout(restart)
      await thread?.close()
    },
  }
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
  const threads = openThreads({ ...FORWARDING_LIMITS, ...limits, host, ownPorts }, owner, {
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

import type { Duplex } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import type { SessionCause } from '../domain/events/session.ts'
import { PortStream } from './bridge/port-stream.ts'
import type { CutCause, EndCause } from './connections/causes.ts'
import {
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
} from './messages.ts'

/** `stream` takes the place of a client's socket. It is destroyed when the connection is cut. */
export interface AttachedConnection {
  readonly stream: Duplex
  /** Why it was destroyed. `lost`: the thread failed. */
  readonly endedBy: () => SessionCause
}
export interface AttachRefusal {
  readonly refused: LimitReason
}

export interface GatewayOptions extends Partial<ForwardingLimits> {
  readonly host: string
  /** Other ports of this service, its API's among them. */
  readonly ownPorts?: readonly number[]
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
  /** The thread failed, and with it every port is closed. The next call starts another one. */
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

/** Keeps what is known of open connections, to report them as lost. */
const followConnections = (decisions: Decisions) => {
  const open = new Map<number, CountedReport>()
  const reports: Pick<Reports, 'onConnected' | 'onCounted' | 'onDisconnected'> = {
    onConnected: (connected) => {
      const { reservationId, connection } = connected
      open.set(connection, { reservationId, connection, bytesToSut: 0, bytesFromSut: 0 })
      decisions.onConnected(connected)
    },
    onCounted: (counted) => {
      open.set(counted.connection, counted)
      decisions.onCounted(counted)
    },
    onDisconnected: (end) => {
      open.delete(end.connection)
      decisions.onDisconnected(end)
    },
  }
  const loseAll = (): void => {
    const lost = [...open.values()]
    open.clear()
    for (const each of lost) decisions.onDisconnected({ ...each, cause: 'lost' })
  }
  return { reports, loseAll }
}

const STOP_TIMEOUT_MS = 5_000
/** More than there are ports and connections. */
const CALLS_MAX = 100_000

/** Berth's own variables may have the vault's keys. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))

/** The answer of a call that the end of the thread has left without one. */
const ifEnded =
  <A>(answer: A) =>
  (error: unknown): A => {
    if (error instanceof ThreadEnded) return answer
    throw error
  }

export type Gateway = ReturnType<typeof openGateway>

/** Forwards TCP to SUTs in a worker thread. Calls take effect in order. */
export const openGateway = ({ host, ownPorts = [], ...limits }: GatewayOptions, decisions: Decisions) => {
  const { reports, loseAll } = followConnections(decisions)
  const workerData: GatewayWorkerOptions = { ...FORWARDING_LIMITS, ...limits, host, ownPorts }
  const owner: GatewayOwner = { ...decisions, ...makeAnswers(decisions), ...reports }
  const thread = openThread<GatewayThread>({
    module: new URL('./worker/gateway-worker.ts', import.meta.url),
    start: { name: 'gateway', workerData, env: environmentWithoutSecrets() },
    local: owner,
    callsMax: CALLS_MAX,
    closeTimeoutMs: STOP_TIMEOUT_MS,
    isReplaced: true,
    onEnded: (error) => {
      decisions.onThreadFailed(error.cause instanceof Error ? error.cause : error)
      loseAll()
    },
  })
  return {
    /**
     * Opens a port, or changes an open forwarding: target and protocol apply to new connections, and cached verdicts are
     * dropped. Another reservation on the same port ends as `over`.
     *
     * @returns whether the port is open; false if another program holds it (the gateway retries)
     */
    open: (forwarding: Forwarding): Promise<boolean> => thread.call('open', [forwarding]).catch(ifEnded(false)),
    /** Frees the port and cuts every connection. */
    close: (reservationId: string, cause: CutCause): void => thread.tell('close', [reservationId, cause]),
    /** Cuts every connection. The port stays open. */
    cut: (reservationId: string, cause: CutCause): void => thread.tell('cut', [reservationId, cause]),
    /**
     * Asks `admit` again about the address of each open connection. Cuts those no longer admitted, or no longer bound,
     * as `barred`.
     */
    reconsider: (reservationId: string): void => thread.tell('reconsider', [reservationId]),
    /** Connects a client of this process as a bound one, without asking `admit`. */
    attach: async (
      reservationId: string,
      { hasPassword }: { readonly hasPassword: boolean },
    ): Promise<AttachedConnection | AttachRefusal> => {
      const { port1, port2: port } = new MessageChannel()
      const stream = new PortStream<EndCause>(port1)
      const attaching = thread.call('attach', [{ reservationId, hasPassword, port }], [port])
      const refused = await attaching.catch(ifEnded('undecided' as const))
      if (refused === undefined)
        return { stream, endedBy: () => stream.cause ?? (stream.readableEnded ? 'sut' : 'lost') }
      stream.destroy()
      return { refused }
    },
    /** Cuts every connection as `stopped`. Resolves when all ends have been reported. */
    stop: thread.close,
  }
}

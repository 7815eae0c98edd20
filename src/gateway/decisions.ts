import type { ConnectionFailure, EndCause } from './connections/causes.ts'
import type { LimitReason, Verdict } from './forwarding.ts'
import type { ConnectedReport, ConnectionEvent, CountedReport, GatewayOwner, WorkerReport } from './messages.ts'

export interface ConnectionEnd extends ConnectionEvent, CountedReport {
  /** `lost`: the worker thread failed. The counts are its last ones. */
  readonly cause: EndCause | 'lost'
}

/** Decisions that the main thread makes, and callbacks about what happens. A rejected promise refuses. */
export interface Decisions {
  /** `address` is canonical: IPv4-mapped IPv6 as IPv4, no zone. */
  readonly admit: (reservationId: string, address: string) => Promise<Verdict> | Verdict
  /** The response to the 16-byte challenge of VNC Authentication; undefined if there is no password any more. */
  readonly answerChallenge: (
    reservationId: string,
    challenge: Uint8Array,
  ) => Promise<Uint8Array | undefined> | Uint8Array | undefined
  /** A client is connected to its SUT. */
  readonly onConnected: (connected: ConnectedReport) => void
  /** Bytes that an open connection has forwarded so far. Called every few seconds if they have changed. */
  readonly onCounted: (counted: CountedReport) => void
  readonly onDisconnected: (end: ConnectionEnd) => void
  /** Refusals since the last call. At most ten calls a second for each reservation and reason. */
  readonly onRefused: (reservationId: string, reason: LimitReason | (string & {}), count: number) => void
  /** Why `admit` or `answerChallenge` was rejected. */
  readonly onUndecided: (reservationId: string, error: unknown) => void
  /** The last failure. At most ten calls a second for each reservation. */
  readonly onFailed: (reservationId: string, failure: ConnectionFailure) => void
  /**
   * A port cannot be opened, with the error's code, such as EADDRINUSE. Called once until `onPortOpened` or `close`.
   */
  readonly onPortTaken: (reservationId: string, port: number, code: string) => void
  readonly onPortOpened: (reservationId: string, port: number) => void
  /** The thread failed; another one opens the same ports. */
  readonly onThreadFailed: (error: Error) => void
}

const NOT_DECIDED: Verdict = { admitted: false, reason: 'undecided' }

/** Answers the worker's questions. A rejected decision refuses. */
export const makeAnswers = (decisions: Decisions): Pick<GatewayOwner, 'admit' | 'answerChallenge'> => {
  const decide = async <A>(reservationId: string, answer: () => Promise<A> | A, otherwise: A): Promise<A> => {
    try {
      return await answer()
    } catch (error) {
      decisions.onUndecided(reservationId, error)
      return otherwise
    }
  }
  return {
    admit: (id, address) => decide(id, () => decisions.admit(id, address), NOT_DECIDED),
    answerChallenge: (id, challenge) => decide(id, () => decisions.answerChallenge(id, challenge), undefined),
  }
}

/** Calls `decisions` for each report. */
export const makeReportHandler = (decisions: Decisions, clock: () => number) => {
  const open = new Map<number, ConnectionEvent & CountedReport>()
  /** The worker reads the machine's clock. Only how long ago something happened is taken from it. */
  const timeOf = (at: number): number => clock() - Math.max(0, Date.now() - at)
  const take = (event: WorkerReport): void => {
    const { kind, reservationId } = event
    if (kind === 'connected') {
      const { kind: _, ...connected } = event
      const { milliseconds: _took, ...begun } = connected
      open.set(connected.connection, { ...begun, bytesToSut: 0, bytesFromSut: 0 })
      decisions.onConnected({ ...connected, at: timeOf(connected.at) })
    } else if (kind === 'counted') {
      const { kind: _, ...counted } = event
      const connected = open.get(counted.connection)
      if (connected !== undefined) open.set(counted.connection, { ...connected, ...counted })
      decisions.onCounted(counted)
    } else if (kind === 'disconnected') {
      const { kind: _, ...end } = event
      open.delete(end.connection)
      decisions.onDisconnected({ ...end, at: timeOf(end.at) })
    } else if (kind === 'refused') decisions.onRefused(reservationId, event.reason, event.count)
    else if (kind === 'failed') {
      const { kind: _, reservationId: id, ...failure } = event
      decisions.onFailed(id, failure)
    } else if (kind === 'portTaken') decisions.onPortTaken(reservationId, event.port, event.code)
    else decisions.onPortOpened(reservationId, event.port)
  }

  /** Reports all connections as lost. */
  const loseAll = (): void => {
    const lost = [...open.values()]
    open.clear()
    for (const each of lost) {
      decisions.onDisconnected({ ...each, at: clock(), cause: 'lost' })
    }
  }

  return { take, loseAll }
}

import type { Verdict } from './forwarding.ts'
import type { ConnectionEvent, CountedReport, GatewayOwner, Reports, WorkerReport } from './messages.ts'

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

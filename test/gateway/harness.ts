import type { Decisions } from '../../src/gateway/gateway.ts'
import { type GatewayOptions, openGateway } from '../../src/gateway/gateway.ts'
import type { ConnectionEnd, ConnectionEvent, CountedReport, Forwarding } from '../../src/gateway/messages.ts'
import { respondToChallenge } from '../../src/gateway/rfb/challenge.ts'
import type { Tidying } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { freePort, HOST, startSut } from './peers.ts'

/** Milliseconds that anything in these tests may take. */
export const SOON = 60_000

/** What the gateway reported. */
export interface Reported {
  readonly asked: string[]
  readonly connected: ConnectionEvent[]
  readonly counted: CountedReport[]
  readonly disconnected: ConnectionEnd[]
  readonly refused: Record<string, number>
  readonly undecided: unknown[]
  readonly failed: string[]
  readonly reasons: string[]
  readonly ports: string[]
  readonly errors: Error[]
}

type Given = Partial<GatewayOptions> & Partial<Pick<Decisions, 'admit' | 'answerChallenge'>>

let last = 0

/** A gateway that admits everybody, unless told otherwise. */
export const startGateway = (t: Tidying, { admit, answerChallenge, ...options }: Given = {}) => {
  const reported: Reported = {
    asked: [],
    connected: [],
    counted: [],
    disconnected: [],
    refused: {},
    undecided: [],
    failed: [],
    reasons: [],
    ports: [],
    errors: [],
  }
  const gateway = openGateway(
    { host: HOST, portRetryMs: 50, ...options },
    {
      admit: (id, address) => {
        reported.asked.push(address)
        return admit?.(id, address) ?? { admitted: true, isBound: true, hasPassword: false }
      },
      answerChallenge: answerChallenge ?? (() => undefined),
      onConnected: (connected) => reported.connected.push(connected),
      onCounted: (counted) => reported.counted.push(counted),
      onDisconnected: (end) => reported.disconnected.push(end),
      onRefused: (_id, reason, count) => {
        reported.refused[reason] = (reported.refused[reason] ?? 0) + count
      },
      onUndecided: (_id, error) => reported.undecided.push(error),
      onFailed: (_id, { cause, reason }) => {
        reported.failed.push(cause)
        if (reason !== undefined) reported.reasons.push(reason)
      },
      onPortTaken: (_id, _port, code) => reported.ports.push(code),
      onPortOpened: () => reported.ports.push('opened'),
      onThreadFailed: (error) => reported.errors.push(error),
    },
  )
  t.teardown(gateway.stop)
  return {
    gateway,
    reported,
    /** Opens a port to a SUT on this machine; returns the forwarding. */
    forward: async (port: number, given?: Partial<Forwarding>) => {
      const forwarding: Forwarding = {
        reservationId: `reservation-${++last}`,
        listenPort: await freePort(),
        host: HOST,
        port,
        protocol: 'tcp',
        ...given,
      }
      await gateway.open(forwarding)
      return forwarding
    },
    /** Waits for something to be reported. */
    see: (what: string, holds: (reported: Reported) => boolean) => until(what, async () => holds(reported), SOON),
  }
}

/** What a gateway is started with that logs bound clients in to VNC servers with this password. */
export const loggingIn = (password: string): Given => ({
  admit: () => ({ admitted: true, isBound: true, hasPassword: true }),
  answerChallenge: (_id, challenge) => respondToChallenge(password, challenge),
})

/** A gateway that forwards to one SUT, which only accepts unless it is told otherwise. */
export const startForwarded = async (
  t: Tidying,
  {
    handle,
    forwarding,
    ...given
  }: Given & {
    readonly handle?: Parameters<typeof startSut>[1]
    readonly forwarding?: Partial<Forwarding>
  } = {},
) => {
  const sut = await startSut(t, handle)
  const started = startGateway(t, given)
  const opening = await started.forward(sut.port, forwarding)
  const { listenPort, reservationId } = opening
  return { ...started, sut, forwarding: opening, listenPort, reservationId }
}

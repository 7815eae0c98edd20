import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pass } from 'node:timers/promises'
import { admitClient, greetClient, refusalMessage } from '../rfb/client-side.ts'
import { logIn, runHandshake } from '../rfb/run-handshake.ts'
import type { RfbVersion } from '../rfb/version.ts'
import { type ConnectionFailure, type EndCause, type FailureCause, mayBeInUse } from './causes.ts'
import { type DialOptions, type DialTarget, dial } from './dial.ts'
import { type ConnectionHooks, makeSocketPair, type SocketPair } from './socket-pair.ts'
import { endNoticed } from './sockets.ts'

/** Why a machine cannot be used, as its user reads it in the viewer. */
const REASONS: Readonly<Record<FailureCause, string>> = {
  refused: 'The machine refused the connection.',
  timed_out: 'The machine did not answer in time.',
  unreachable: 'The machine is unreachable.',
  unknown_host: "The machine's name is unknown.",
  own_address: "The machine's address is Berth's own.",
  wrong_greeting: 'The machine did not answer as a VNC server does.',
  password_refused: 'The machine refused the password that Berth has for it. An administrator can correct it.',
  locked_out: 'The machine bars Berth after too many failures. It usually lifts that by itself.',
  in_use: 'The machine is in use already.',
  refused_by_server: 'The machine refused Berth.',
  no_password: 'The machine wants a password, and Berth has none for it. An administrator can add it.',
  no_security_type: 'The machine offers no security type that Berth knows.',
}

/** Berth's own words first. The machine's may mislead. */
const sentenceOf = ({ cause, reason }: ConnectionFailure): string =>
  reason === undefined ? REASONS[cause] : `${REASONS[cause]} It says: "${reason}"`

/** For a client to read the reason. */
const REASON_TIMEOUT_MS = 2_000

/** Sends the reason in place of security types. Resolves when the client has closed or has had time to read it. */
export const explain = (client: Duplex, version: RfbVersion, failure: ConnectionFailure): Promise<void> =>
  endNoticed(client, REASON_TIMEOUT_MS, refusalMessage(version, sentenceOf(failure)))

export interface ConnectionOptions extends Omit<DialOptions, 'signal'> {
  readonly target: DialTarget
  /** Cuts an older connection of the reservation. Returns whether there was any. */
  readonly makeRoom: () => boolean
  /** Answers the SUT's challenge, so that the client needs no password. Undefined: all bytes pass unchanged. */
  readonly respond: ((challenge: Uint8Array) => Promise<Uint8Array | undefined>) | undefined
  /** Milliseconds that either side may take for its RFB handshake. */
  readonly handshakeTimeoutMs: number
}

export interface Connection extends Pick<SocketPair, 'isHeld'> {
  /** Ends it with RST on both sides. */
  readonly cut: (cause: EndCause) => void
}

type Hooks = ConnectionHooks & { readonly onFailed: (failure: ConnectionFailure) => void }

/** Undefined if the connection has ended meanwhile. */
type Reached = Socket | ConnectionFailure | undefined

const isFailure = (reached: Reached): reached is ConnectionFailure =>
  reached !== undefined && !(reached instanceof Socket)

/** Time for a machine to notice that a connection has been cut, and between attempts meanwhile. */
const [NOTICE_TIMEOUT_MS, ATTEMPT_INTERVAL_MS] = [1_000, 100]

/** Repeats an attempt that failed while another connection was in the way. */
const makeRoomAndReach = async (pair: SocketPair, makeRoom: () => boolean, reach: () => Promise<Reached>) => {
  let reached = await reach()
  const isInUse = (): boolean => isFailure(reached) && mayBeInUse(reached) && !pair.isOver() && !pair.hasClientLeft()
  if (!isInUse() || !makeRoom()) return reached
  const until = performance.now() + NOTICE_TIMEOUT_MS
  do {
    await pass(ATTEMPT_INTERVAL_MS)
    reached = pair.isOver() ? undefined : await reach()
  } while (isInUse() && performance.now() < until)
  return reached
}

/** Connects a client to a SUT, and forwards until either ends or the connection is cut. */
export const openConnection = (client: Duplex, options: ConnectionOptions, hooks: Hooks): Connection => {
  const { respond, handshakeTimeoutMs: timeoutMs } = options
  const pair = makeSocketPair(client, hooks)

  /** Connects to the SUT, and logs in to it if Berth answers its challenge. */
  const tryOnce = async (): Promise<Reached> => {
    const sut = await dial(options.target, { ...options, signal: pair.over })
    if (typeof sut === 'string') return pair.isOver() ? undefined : { cause: sut }
    if (!pair.addSut(sut)) return undefined
    const failure = respond && (await logIn(sut, true, { timeoutMs, respond }))
    if (failure !== undefined) pair.dropSut()
    return failure ?? sut
  }

  const reachSut = async (): Promise<Reached> => {
    const reached = await makeRoomAndReach(pair, options.makeRoom, tryOnce)
    if (isFailure(reached) && !pair.isOver()) hooks.onFailed(reached)
    return reached
  }

  /** Forwards without a handshake by Berth. */
  const connect = async (): Promise<void> => {
    const sut = await reachSut()
    if (sut instanceof Socket) pair.pass(sut)
    else if (sut !== undefined) pair.end('sut')
  }

  const connectOverRfb = async (): Promise<void> => {
    const version = await runHandshake(client, greetClient(), { timeoutMs })
    // It is silent, or does not speak RFB.
    if (version === undefined || version === 'timed_out') return pair.end('client')
    if (pair.isOver()) return
    // Servers lock out addresses that break off handshakes, and all users share Berth's.
    const sut = await pair.holding(reachSut())
    if (sut === undefined || pair.isOver()) return
    if (!(sut instanceof Socket)) {
      await explain(client, version, sut)
      return pair.end('sut')
    }
    // The security types are held back until the SUT has accepted Berth.
    if ((await runHandshake(client, admitClient(version), { timeoutMs })) !== true) return pair.end('client')
    if (!pair.isOver()) pair.pass(sut)
  }

  // A fault in one connection ends only that connection.
  ;(respond === undefined ? connect() : connectOverRfb()).catch(() => pair.end('sut'))
  return { cut: pair.end, isHeld: pair.isHeld }
}

import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import type { SutType } from '../../domain/events/sut.ts'
import type { ProbeFinding } from '../../domain/monitoring/decide.ts'
import { type DialOptions, type DialTarget, dial } from '../connections/dial.ts'
import { endNoticed } from '../connections/sockets.ts'
import { respondToChallenge } from '../rfb/challenge.ts'
import { logIn, runHandshake } from '../rfb/run-handshake.ts'
import { requestConnection } from './x224.ts'

export interface ProbeTarget extends DialTarget {
  readonly sut_type: SutType
  /** Of a VNC server; undefined or empty if it has none. */
  readonly password: string | undefined
}

/** The signal abandons the probe. */
export interface ProbeOptions extends Pick<DialOptions, 'isOwn' | 'signal'> {
  /** Milliseconds to connect, and then for the SUT's side of a handshake. */
  readonly connectMs?: number
  readonly answerMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 10_000
/** How long a VNC server may take to notice that the probe leaves. */
const CLOSE_TIMEOUT_MS = 1_000

const probeRdp = async (socket: Socket, timeoutMs: number): Promise<ProbeFinding | undefined> => {
  const isConfirmed = await runHandshake(socket, requestConnection(), { timeoutMs })
  if (isConfirmed === 'timed_out') return { cause: 'timed_out' }
  if (isConfirmed) return undefined
  // Some systems accept a connection and then reset it instead of refusing it.
  return { cause: socket.errored !== null && socket.bytesRead === 0 ? 'refused' : 'wrong_greeting' }
}

const probeByType = async (
  socket: Socket,
  { sut_type, password }: ProbeTarget,
  answerMs: number,
): Promise<ProbeFinding | undefined> => {
  if (sut_type === 'rdp') return probeRdp(socket, answerMs)
  if (sut_type === 'tcp') return undefined
  // The whole handshake up to SecurityResult: VNC servers bar addresses that break it off.
  const finding = await logIn(socket, Boolean(password), {
    timeoutMs: answerMs,
    respond: async (challenge) => (password ? respondToChallenge(password, challenge) : undefined),
  })
  // Some VNC servers refuse everybody while they believe that somebody is connected.
  if (finding === undefined || finding.cause === 'no_password') await endNoticed(socket, CLOSE_TIMEOUT_MS)
  return finding
}

/**
 * Connects to a SUT and checks that it answers as its type should. Runs in the main thread, which has the passwords.
 *
 * @returns what keeps the SUT from being online, or Berth from looking further; undefined if nothing does
 */
export const probe = async (
  target: ProbeTarget,
  { isOwn, signal, connectMs = CONNECT_TIMEOUT_MS, answerMs = ANSWER_TIMEOUT_MS }: ProbeOptions,
): Promise<ProbeFinding | undefined> => {
  const socket = await dial(target, { timeoutMs: connectMs, isOwn, signal })
  // Berth itself is no SUT.
  if (typeof socket === 'string') return { cause: socket === 'own_address' ? 'unreachable' : socket }
  socket.on('error', () => undefined)
  addAbortSignal(signal, socket)
  return probeByType(socket, target, answerMs).finally(() => socket.destroy())
}

import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { SutType } from '../../domain/events/sut.ts'
import type { ProbeFinding } from '../../domain/monitoring/decide.ts'
import { type Dial, type DialOptions, type DialTarget, dial } from '../connections/dial.ts'
import { respondToChallenge } from '../rfb/challenge.ts'
import { logIn, runHandshake } from '../rfb/run-handshake.ts'
import { requestConnection } from './x224.ts'

export interface ProbeTarget extends DialTarget {
  readonly sut_type: SutType
  /** Of a VNC server; undefined or empty if it has none. */
  readonly password: string | undefined
}

export interface ProbeOptions extends Pick<DialOptions, 'isOwn'> {
  /** Abandons the probe; its result is then meaningless. */
  readonly signal: AbortSignal
  /** Milliseconds to connect, and then for the SUT's side of a handshake. */
  readonly connectMs?: number
  readonly answerMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 10_000
/** How long a VNC server may take to notice that the probe leaves. */
const CLOSE_TIMEOUT_MS = 1_000

/** The whole handshake up to SecurityResult: VNC servers bar addresses that break it off. */
const probeVnc = (socket: Socket, password: string | undefined, timeoutMs: number): Promise<ProbeFinding | undefined> =>
  logIn(socket, Boolean(password), {
    timeoutMs,
    respond: async (challenge) => (password ? respondToChallenge(password, challenge) : undefined),
  })

/** Some VNC servers refuse everybody while they believe that somebody is connected. */
const leaveNoticed = async (socket: Socket, signal: AbortSignal): Promise<void> => {
  socket.resume().end()
  if (socket.destroyed) return
  await once(socket, 'close', { signal: AbortSignal.any([signal, AbortSignal.timeout(CLOSE_TIMEOUT_MS)]) }).catch(
    () => undefined,
  )
}

const probeRdp = async (socket: Socket, timeoutMs: number): Promise<ProbeFinding | undefined> => {
  const isConfirmed = await runHandshake(socket, requestConnection(), { timeoutMs })
  if (isConfirmed === 'timed_out') return { cause: 'timed_out' }
  if (isConfirmed) return undefined
  // Some systems accept a connection and then reset it instead of refusing it.
  return { cause: socket.errored !== null && socket.bytesRead === 0 ? 'refused' : 'wrong_greeting' }
}

const probeByType = async (
  dialled: Dial,
  target: ProbeTarget,
  signal: AbortSignal,
  answerMs: number,
): Promise<ProbeFinding | undefined> => {
  const socket = await dialled.result
  // Berth itself is no SUT.
  if (typeof socket === 'string') return { cause: socket === 'own_address' ? 'unreachable' : socket }
  const leave = (): void => void socket.destroy()
  signal.addEventListener('abort', leave, { once: true })
  socket.on('error', () => undefined)
  try {
    if (signal.aborted) return { cause: 'timed_out' }
    if (target.sut_type === 'vnc') {
      const found = await probeVnc(socket, target.password, answerMs)
      if (found === undefined || found.cause === 'no_password') await leaveNoticed(socket, signal)
      return found
    }
    return target.sut_type === 'rdp' ? await probeRdp(socket, answerMs) : undefined
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
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
  const dialled = dial(target, { timeoutMs: connectMs, isOwn })
  signal.addEventListener('abort', dialled.abandon, { once: true })
  try {
    return await probeByType(dialled, target, signal, answerMs)
  } finally {
    signal.removeEventListener('abort', dialled.abandon)
  }
}

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProbeFinding } from '../../domain/monitoring/decide.ts'
import type { Handshake, Step } from './steps.ts'
import { greetSut } from './sut-side.ts'

export interface HandshakeOptions {
  readonly timeoutMs: number
  /** Answers a challenge. The time does not cut it short, only what follows. */
  readonly respond?: (challenge: Uint8Array) => Promise<Uint8Array | undefined>
}

/**
 * Carries out a handshake. Bytes after it stay in the stream, which is left paused. What has arrived is bounded by the
 * stream's high-water mark. An error of the stream ends the handshake like its end does. The caller handles errors.
 */
export const runHandshake = async <A>(
  stream: Duplex,
  handshake: Handshake<A>,
  { timeoutMs, respond = async () => undefined }: HandshakeOptions,
): Promise<A | 'timed_out'> => {
  let isLate = false
  let changed = Promise.withResolvers<void>()
  const onChange = (): void => changed.resolve()
  const timer = setTimeout(() => {
    isLate = true
    onChange()
  }, timeoutMs)
  stream.on('readable', onChange).on('end', onChange).on('close', onChange)

  /** Takes exactly so many bytes. Undefined if the stream ends before, or it is late. */
  const take = async (bytes: number): Promise<Uint8Array | undefined> => {
    for (; !isLate; await changed.promise) {
      changed = Promise.withResolvers()
      const taken = stream.read(bytes) as Buffer | null
      if (taken !== null) return taken.length === bytes ? taken : undefined
      if (stream.readableEnded || stream.destroyed) return undefined
    }
    return undefined
  }
  const carryOut = async (step: Step): Promise<Uint8Array | undefined> => {
    if ('read' in step) return take(step.read)
    if ('challenge' in step) return respond(step.challenge).catch(() => undefined)
    if (stream.writable) stream.write(step.write)
    return undefined
  }

  try {
    let step = handshake.next()
    while (!step.done && !isLate) step = handshake.next(await carryOut(step.value))
    return step.done && !isLate ? step.value : 'timed_out'
  } finally {
    clearTimeout(timer)
    stream.off('readable', onChange).off('end', onChange).off('close', onChange)
  }
}

/**
 * Berth's RFB handshake with a VNC server, until the server accepts. Returns undefined on success. The caller handles
 * errors of the socket.
 *
 * @param hasPassword without one it ends after the security types, unless the server offers None
 */
export const logIn = async (
  sut: Socket,
  hasPassword: boolean,
  options: HandshakeOptions,
): Promise<ProbeFinding | undefined> => {
  const failure = await runHandshake(sut, greetSut(hasPassword), options)
  if (failure === 'timed_out') return { cause: 'timed_out' }
  // Some systems accept a connection and then reset it instead of refusing it.
  if (failure?.cause === 'wrong_greeting' && sut.errored !== null && sut.bytesRead === 0) return { cause: 'refused' }
  return failure ?? (sut.destroyed ? { cause: 'wrong_greeting' } : undefined)
}

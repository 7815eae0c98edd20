import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProbeFinding } from '../../domain/monitoring/decide.ts'
import type { Handshake } from './steps.ts'
import { greetSut } from './sut-side.ts'

export interface HandshakeOptions {
  readonly timeoutMs: number
  readonly respond?: (challenge: Uint8Array) => Promise<Uint8Array | undefined>
}

/** Takes exactly `bytes` bytes. Undefined at the end of the stream; `later` while they have not arrived. */
const take = (stream: Duplex, bytes: number, hasEnded: boolean): Uint8Array | undefined | 'later' => {
  const taken = stream.read(bytes) as Buffer | null
  if (taken !== null) return taken.length === bytes ? taken : undefined
  return hasEnded || stream.destroyed ? undefined : 'later'
}

/**
 * Carries out a handshake. Bytes after it stay in the stream, which is left paused. What has arrived is bounded by the
 * stream's high-water mark. An error of the stream ends the handshake like its end does. The caller handles errors.
 */
export const runHandshake = <A>(
  stream: Duplex,
  handshake: Handshake<A>,
  { timeoutMs, respond = async () => undefined }: HandshakeOptions,
): Promise<A | 'timed_out'> => {
  const { promise, resolve } = Promise.withResolvers<A | 'timed_out'>()
  let step = handshake.next()
  let isResponding = false
  let hasEnded = stream.readableEnded || stream.destroyed
  let isDone = false

  const finish = (result: A | 'timed_out'): void => {
    isDone = true
    clearTimeout(timer)
    stream.off('readable', advance).off('end', end).off('close', end)
    resolve(result)
  }

  const resume = (response: Uint8Array | undefined): void => {
    isResponding = false
    if (isDone) return
    step = handshake.next(response)
    advance()
  }

  const advance = (): void => {
    while (!step.done) {
      if (isResponding) return
      const { value } = step
      if ('read' in value) {
        const taken = take(stream, value.read, hasEnded)
        if (taken === 'later') return
        step = handshake.next(taken)
      } else if ('write' in value) {
        if (stream.writable) stream.write(value.write)
        step = handshake.next(undefined)
      } else {
        isResponding = true
        respond(value.challenge).then(resume, () => resume(undefined))
      }
    }
    if (!isDone) finish(step.value)
  }

  const end = (): void => {
    hasEnded = true
    advance()
  }

  const timer = setTimeout(() => finish('timed_out'), timeoutMs)
  stream.on('readable', advance).on('end', end).on('close', end)
  advance()
  return promise
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

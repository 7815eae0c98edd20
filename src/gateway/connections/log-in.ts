import type { Socket } from 'node:net'
import { type HandshakeOptions, runHandshake } from '../rfb/run-handshake.ts'
import { greetSut, type SutFailure } from '../rfb/sut-side.ts'

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
): Promise<SutFailure | { readonly cause: 'timed_out' | 'refused' } | undefined> => {
  const failure = await runHandshake(sut, greetSut(hasPassword), options)
  if (failure === 'timed_out') return { cause: 'timed_out' }
  // Some systems accept a connection and then reset it instead of refusing it.
  if (failure?.cause === 'wrong_greeting' && sut.errored !== null && sut.bytesRead === 0) return { cause: 'refused' }
  return failure ?? (sut.destroyed ? { cause: 'wrong_greeting' } : undefined)
}

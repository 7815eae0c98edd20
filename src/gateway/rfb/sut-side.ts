import { type Handshake, read, readByte, readNumber, write } from './steps.ts'
import { type RfbVersion, SECURITY, VERSION_BYTES, versionForServer, versionLine } from './version.ts'

/** Why a VNC server did not let Berth in. */
export type SutFailure = 'wrong_greeting' | 'password_refused' | 'locked_out' | 'no_security_type'

/** Maximum bytes of a reason that are read. */
const REASON_MAX = 512
const CHALLENGE_BYTES = 16

/** Servers report a lockout only as text. TigerVNC, LibVNCServer and RealVNC share these words. */
const LOCKED_OUT = /too many/i

function* readReason(): Handshake<string> {
  const length = yield* readNumber()
  if (length === undefined || length === 0) return ''
  return (yield* read(Math.min(length, REASON_MAX)))?.toString('latin1') ?? ''
}

function* readNoTypes(): Handshake<SutFailure> {
  return LOCKED_OUT.test(yield* readReason()) ? 'locked_out' : 'no_security_type'
}

/** The security types offered. Version 3.3 dictates one as a 32-bit number, where 0 is none. */
function* readTypes(version: RfbVersion): Handshake<readonly number[] | undefined> {
  if (version === '3.3') {
    const type = yield* readNumber()
    if (type === undefined) return undefined
    return type === 0 ? [] : [type]
  }
  const count = yield* readByte()
  if (count === undefined) return undefined
  if (count === 0) return []
  const types = yield* read(count)
  return types && [...types]
}

function* authenticate(): Handshake<SutFailure | undefined> {
  const challenge = yield* read(CHALLENGE_BYTES)
  if (challenge === undefined) return 'wrong_greeting'
  const response = yield { challenge }
  if (response === undefined) return 'password_refused'
  yield* write(response)
  return undefined
}

/** SecurityResult (7.1.3). A server that closes instead has refused the password. */
function* readResult(version: RfbVersion): Handshake<SutFailure | undefined> {
  const result = yield* readNumber()
  if (result === 0) return undefined
  // Read the reason too: closing with unread bytes would reset the connection while the server still writes.
  if (result !== undefined && version === '3.8') yield* readReason()
  return 'password_refused'
}

/**
 * The client's side of RFB up to SecurityResult, without ClientInit.
 *
 * @param hasPassword without one it ends after the security types
 * @returns undefined once the server accepts a ClientInit
 */
export function* greetSut(hasPassword: boolean): Handshake<SutFailure | undefined> {
  const greeting = yield* read(VERSION_BYTES)
  const version = greeting && versionForServer(greeting)
  if (version === undefined) return 'wrong_greeting'
  yield* write(versionLine(version))

  const types = yield* readTypes(version)
  if (types === undefined) return 'wrong_greeting'
  if (types.length === 0) return yield* readNoTypes()
  if (!hasPassword) return undefined

  const type = [SECURITY.vncAuthentication, SECURITY.none].find((known) => types.includes(known))
  if (type === undefined) return 'no_security_type'
  if (version !== '3.3') yield* write(Uint8Array.of(type))
  if (type === SECURITY.none) return version === '3.8' ? yield* readResult(version) : undefined
  return (yield* authenticate()) ?? (yield* readResult(version))
}

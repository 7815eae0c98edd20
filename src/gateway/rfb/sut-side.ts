import type { ProbeFinding } from '../../domain/monitoring/decide.ts'
import type { Cause } from '../../domain/monitoring/status.ts'
import { type Handshake, read, readByte, readNumber, write } from './steps.ts'
import { type RfbVersion, readVersion, SECURITY, versionForServer, versionLine } from './version.ts'

/** Maximum characters of a server's reason that are passed on. */
const QUOTED_MAX = 100

const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
/** Hexadecimal groups with at least two colons, and a zone. A time of day with seconds looks the same. */
const IPV6 = /(?<![\w:.])[\da-f]{0,4}:[\da-f]{0,4}:[\da-f:.]*(?:%\w+)?/gi

/**
 * What may be passed on of a reason that a VNC server gives: printable characters, without addresses. Undefined if
 * nothing is left.
 */
export const quotableReason = (bytes: Uint8Array): string | undefined => {
  const printable = Buffer.from(bytes)
    .toString()
    .replace(/[\p{C}\p{Z}\ufffd]+/gu, ' ')
  const masked = printable.replaceAll(IPV6, '(address)').replaceAll(IPV4, '(address)').replaceAll('"', "'").trim()
  return Array.from(masked).slice(0, QUOTED_MAX).join('').trim() || undefined
}

/** Maximum bytes of a reason that are read. */
const REASON_MAX = 512
const CHALLENGE_BYTES = 16

/** SecurityResult (7.1.3). Servers of 3.3 and 3.7, which have no reason, send the last after too many attempts. */
const [OK, TOO_MANY] = [0, 2]

/**
 * Servers say only as text why they refuse. TigerVNC, LibVNCServer and RealVNC share these words, of which the first
 * that fits decides: a lockout is also about authentication.
 */
const WORDS: readonly (readonly [words: RegExp, cause: Cause])[] = [
  [/too many/i, 'locked_out'],
  [/in use|in-use/i, 'in_use'],
  [/authenticat|password/i, 'password_refused'],
]

/** Reads why a VNC server did not let Berth in. Without one the cause is `unexplained`. */
function* readFailure(unexplained: Cause): Handshake<ProbeFinding> {
  const length = yield* readNumber()
  const bytes = length === undefined || length === 0 ? undefined : yield* read(Math.min(length, REASON_MAX))
  const text = bytes?.toString('latin1') ?? ''
  const reason = bytes && quotableReason(bytes)
  if (reason === undefined) return { cause: unexplained }
  const [, cause = 'refused_by_server'] = WORDS.find(([words]) => words.test(text)) ?? []
  return { cause, reason }
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

function* authenticate(): Handshake<ProbeFinding | undefined> {
  const challenge = yield* read(CHALLENGE_BYTES)
  if (challenge === undefined) return { cause: 'wrong_greeting' }
  const response = yield { challenge }
  if (response === undefined) return { cause: 'no_password' }
  yield* write(response)
  return undefined
}

/** SecurityResult. A server that closes instead, or gives no reason, has refused for the cause `unexplained`. */
function* readResult(version: RfbVersion, unexplained: Cause): Handshake<ProbeFinding | undefined> {
  const result = yield* readNumber()
  if (result === OK) return undefined
  // Read the reason too: closing with unread bytes would reset the connection while the server still writes.
  const isExplained = result !== undefined && version === '3.8'
  const failure = isExplained ? yield* readFailure(unexplained) : { cause: unexplained }
  return result === TOO_MANY ? { ...failure, cause: 'locked_out' } : failure
}

const chooseType = (types: readonly number[], hasPassword: boolean): number | Cause => {
  const usable = hasPassword ? [SECURITY.vncAuthentication, SECURITY.none] : [SECURITY.none]
  return usable.find((known) => types.includes(known)) ?? (hasPassword ? 'no_security_type' : 'no_password')
}

/**
 * The client's side of RFB up to SecurityResult, without ClientInit.
 *
 * @param hasPassword without one it ends after the security types, unless the server offers None
 * @returns undefined once the server accepts a ClientInit
 */
export function* greetSut(hasPassword: boolean): Handshake<ProbeFinding | undefined> {
  const greeting = yield* readVersion()
  const version = greeting && versionForServer(greeting)
  if (version === undefined) return { cause: 'wrong_greeting' }
  yield* write(versionLine(version))

  const types = yield* readTypes(version)
  if (types === undefined) return { cause: 'wrong_greeting' }
  if (types.length === 0) return yield* readFailure('no_security_type')

  const type = chooseType(types, hasPassword)
  if (typeof type === 'string') return { cause: type }
  if (version !== '3.3') yield* write(Uint8Array.of(type))
  if (type === SECURITY.none) return version === '3.8' ? yield* readResult(version, 'refused_by_server') : undefined
  return (yield* authenticate()) ?? (yield* readResult(version, 'password_refused'))
}

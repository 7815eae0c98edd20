import { type Handshake, numberBytes, readByte, write } from './steps.ts'
import { type RfbVersion, readVersion, SECURITY, versionLine, versionOfClient } from './version.ts'

const OK = 0
const FAILED = 1

/** Offers 3.8. Returns the version that the client chooses; undefined for anything else. */
export function* greetClient(): Handshake<RfbVersion | undefined> {
  yield* write(versionLine('3.8'))
  const answer = yield* readVersion()
  return answer && versionOfClient(answer)
}

const reasonBytes = (reason: string): Buffer => {
  const text = Buffer.from(reason)
  return Buffer.concat([numberBytes(text.length), text])
}

/** Lets the client in without a password. Returns whether it accepts that; its ClientInit comes next. */
export function* admitClient(version: RfbVersion): Handshake<boolean> {
  if (version === '3.3') {
    yield* write(numberBytes(SECURITY.none))
    return true
  }
  yield* write(Uint8Array.of(1, SECURITY.none))
  const isNone = (yield* readByte()) === SECURITY.none
  // Only 3.8 has a SecurityResult for None.
  if (version === '3.8') {
    yield* write(isNone ? numberBytes(OK) : Buffer.concat([numberBytes(FAILED), reasonBytes('only None is offered')]))
  }
  return isNone
}

/** An empty list of security types, with the reason. It ends the handshake. */
export const refusalMessage = (version: RfbVersion, reason: string): Buffer => {
  const none = version === '3.3' ? numberBytes(0) : Buffer.of(0)
  return Buffer.concat([none, reasonBytes(reason)])
}

import type { Duplex } from 'node:stream'
import { refusalMessage } from '../rfb/client-side.ts'
import type { RfbVersion } from '../rfb/version.ts'
import type { ConnectionFailure, FailureCause } from './causes.ts'
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

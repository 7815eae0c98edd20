import { integer, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { LISTEN_PORTS_STREAM, SCHEDULE_STREAM } from '../values/ids.ts'
import { declare, inStream } from './declaration.ts'
import { recordedTime, whole } from './fields.ts'

/**
 * Version of the log this program writes. Increment it when older programs must not continue on the log. The shape of
 * each event has its own version, `schema`.
 */
export const LOG_VERSION = 5
/** The stream with the first event has what is recorded of the log as a whole. */
const ofLog = { isIn: inStream(LISTEN_PORTS_STREAM), by: ['command-line'] } as const

/** The log's version from here on. It is the first event of every log, and older programs stop at another version. */
const LogVersionSet = declare(closed('LogVersionSet', { version: integer(3, LOG_VERSION) }, {}), {
  ...ofLog,
  by: ['berth'],
})

const verifierKey = text(1, 512)
/** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
const AuditKeyReplaced = declare(
  closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey }),
  ofLog,
)
/** A vault key was lost and given up, with this many secrets. */
const VaultKeyForgotten = declare(closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {}), ofLog)

/** Starts and ends due at or after `from` are recorded. */
const ScheduleBegan = declare(closed('ScheduleBegan', { from: recordedTime }, {}), {
  isIn: inStream(SCHEDULE_STREAM),
  by: ['schedule'],
})

export const logEvents = { LogVersionSet, AuditKeyReplaced, VaultKeyForgotten, ScheduleBegan } as const

import { integer, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { recordedTime, whole } from './fields.ts'

/**
 * Version of the log this program writes. Increment it when older programs must not continue on the log. The shape of
 * each event has its own version, `schema`.
 */
export const LOG_VERSION = 5
/** The log's version from here on. It is the first event of every log, and older programs stop at another version. */
const LogVersionSet = closed('LogVersionSet', { version: integer(3, LOG_VERSION) }, {})
const verifierKey = text(1, 512)
/** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
const AuditKeyReplaced = closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey })
/** A vault key was lost and given up, with this many secrets. */
const VaultKeyForgotten = closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {})

/** Starts and ends due at or after `from` are recorded. */
const ScheduleBegan = closed('ScheduleBegan', { from: recordedTime }, {})

export const logEvents = { LogVersionSet, AuditKeyReplaced, VaultKeyForgotten, ScheduleBegan } as const

import { integer, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { LISTEN_PORTS_STREAM, SCHEDULE_STREAM } from '../values/ids.ts'
import { declare, inStream, type Notes } from './declaration.ts'
import { EXAMPLE_TIME, recordedTime, whole } from './fields.ts'

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
  notes: { version: ['The version of the log from here on.', 5] },
  guide: 'the log begins, or gets a new [version](operating.md#upgrades) | `version`',
})

const verifierKey = text(1, 512)
/** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
const AuditKeyReplaced = declare(closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey }), {
  ...ofLog,
  guide:
    'another key signs [checkpoints](proof.md#the-audit-key) from here on | `verifier_key`, and `replaces`, the key before it',
})
/** A vault key was lost and given up, with this many secrets. */
const VaultKeyForgotten = declare(closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {}), {
  ...ofLog,
  guide:
    'a lost key of the vault is [given up](backup.md#keys-of-the-vault) | `key`, its id, and `secrets`, how many were lost with it',
})

/** Starts and ends due at or after `from` are recorded. */
const ScheduleBegan = declare(closed('ScheduleBegan', { from: recordedTime }, {}), {
  isIn: inStream(SCHEDULE_STREAM),
  by: ['schedule'],
  notes: { from: ['Starts and ends due from then on are recorded.', EXAMPLE_TIME] },
  guide: 'the first start: starts and ends due from then on are recorded | `from`',
})

export const logEvents = { LogVersionSet, AuditKeyReplaced, VaultKeyForgotten, ScheduleBegan } as const

/** What readers of events are told of the members. */
export const logNotes: Notes = {
  verifier_key: ['The public key, as in C2SP signed-note.', 'berth+2ad5d6a7+AYqLQ5wq6vBhCQ=='],
  replaces: ['The key that it replaces.', 'berth+0c5f3f5e+AYqLQ5wq6vBhCQ=='],
  key: ['The id of the key.', 'k1'],
  secrets: ['The number of secrets that were given up with it.', 7],
}

import { integer, text } from '../codec/codec.ts'
import { LISTEN_PORTS_STREAM, SCHEDULE_STREAM } from '../values/ids.ts'
import { declare, inStream } from './declaration.ts'
import { recordedTime, whole } from './fields.ts'

/**
 * Version of the log this program writes. Increment it when older programs must not continue on the log. The shape of
 * each event has its own version, `schema`.
 */
export const LOG_VERSION = 6
/** The stream with the first event has what is recorded of the log as a whole. */
const ofLog = { isIn: inStream(LISTEN_PORTS_STREAM), by: ['command-line'] } as const

const verifierKey = text(1, 512)

export const logEvents = {
  /** The log's version from here on. It is the first event of every log, and older programs stop at another version. */
  LogVersionSet: declare({
    ...ofLog,
    members: { version: integer(3, LOG_VERSION) },
    by: ['berth'],
    guide: 'the log begins, or gets a new [version](operating.md#upgrades) | `version`',
  }),
  /** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
  AuditKeyReplaced: declare({
    ...ofLog,
    members: { verifier_key: verifierKey },
    optional: { replaces: verifierKey },
    guide:
      'another key signs [checkpoints](proof.md#the-audit-key) from here on | `verifier_key`, and `replaces`, the key before it',
  }),
  /** A vault key was lost and given up, with this many secrets. */
  VaultKeyForgotten: declare({
    ...ofLog,
    members: { key: text(1, 32), secrets: whole },
    guide:
      'a lost key of the vault is [given up](backup.md#keys-of-the-vault) | `key`, its id, and `secrets`, how many were lost with it',
  }),
  /** Starts and ends due at or after `from` are recorded. Logs of before 2.0.0 have it at their beginning. */
  ScheduleBegan: declare({
    members: { from: recordedTime },
    isIn: inStream(SCHEDULE_STREAM),
    by: ['schedule'],
    guide: 'the first start; before 2.0.0 | `from`',
  }),
} as const

import { boolean, integer, listOf, opaqueId, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { assignedId, recordedTime, whole, windowEnd } from './fields.ts'
import { keepalive } from './reservation.ts'

/**
 * Version of the log this program writes. Increment it when older programs must not continue on the log. The shape of
 * each event has its own version, `schema`.
 */
export const LOG_VERSION = 5
/** The log's version from here on. It is the first event of every log, and older programs stop at another version. */
const LogVersionSet = closed('LogVersionSet', { version: integer(3, LOG_VERSION) }, {})
/** Windows per ClockCorrected. With the longest user ids they stay below the append limit of one megabyte. */
export const RESTORED_MAX = 1_000
const span = closed('Span', { from: whole, to: whole }, {})
const RestoredWindow = closed(
  'RestoredWindow',
  { _id: assignedId, user_id: opaqueId, start_time: windowEnd, end_time: windowEnd },
  { started: boolean, keepalive },
)
/**
 * Corrects the times of a span of the log. `revisions` are the span's events in this stream; `time` replaces their
 * times. `windows` are restored as they were without the span: its times had dropped them from the state, or its starts
 * and ends no longer count. Windows with `started` began before the span. If there are too many for one event, a series
 * of events is written. `remaining` counts the windows still to come. The event with 0 remaining corrects the stream's
 * time.
 */
const ClockCorrected = closed(
  'ClockCorrected',
  { positions: span, revisions: span, time: recordedTime, windows: listOf(RestoredWindow), remaining: whole },
  { sut_id: assignedId },
)

const verifierKey = text(1, 512)
/** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
const AuditKeyReplaced = closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey })
/** A vault key was lost and given up, with this many secrets. */
const VaultKeyForgotten = closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {})

/** Starts and ends due at or after `from` are recorded. */
const ScheduleBegan = closed('ScheduleBegan', { from: recordedTime }, {})

export const logEvents = { LogVersionSet, ClockCorrected, AuditKeyReplaced, VaultKeyForgotten, ScheduleBegan } as const

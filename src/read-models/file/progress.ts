import type { Recorded } from '../../domain/event.ts'
import { BEFORE_FIRST, nextPosition, type PublicPosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventPosition, type EventStore, hasEventAt, NO_STREAM } from '../../event-store/event-store.ts'

/**
 * How far which log has been folded. The last event folded identifies the log: another log has a different event there.
 */
export interface Progress extends EventPosition {
  readonly logId: string
  /** The public position of the last event folded, -1 before the first. */
  readonly position: PublicPosition
}

export const beforeTheFirst = (logId: string): Progress => ({
  logId,
  position: BEFORE_FIRST,
  storePosition: BEGINNING,
  eventId: '',
  stream: '',
  revision: NO_STREAM,
})

export const progressAfter = (
  { logId, position }: Progress,
  { storePosition, id, stream, revision }: Recorded,
): Progress => ({
  logId,
  position: nextPosition(position),
  storePosition,
  eventId: id,
  stream,
  revision,
})

/**
 * Whether the log continues after this progress: same id, same event at the same position. False for a truncated or
 * restored log.
 */
export const logContinues = async (store: EventStore, progress: Progress): Promise<boolean> =>
  progress.logId === store.logId && (await hasEventAt(store, progress))

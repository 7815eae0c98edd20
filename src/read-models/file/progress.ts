import type { Recorded } from '../../domain/event.ts'
import { BEGINNING, type EventPlace, type EventStore, hasEventAt, NO_STREAM } from '../../event-store/event-store.ts'

/** How far a log has been folded, and in which: the last event folded, which another log has not in that place. */
export interface Progress extends EventPlace {
  readonly logId: string
  /** The public position of the last event folded, -1 before the first. */
  readonly position: number
}

export const beforeTheFirst = (logId: string): Progress => ({
  logId,
  position: -1,
  mark: BEGINNING,
  eventId: '',
  stream: '',
  revision: NO_STREAM,
})

export const progressAfter = ({ logId, position }: Progress, { mark, id, stream, revision }: Recorded): Progress => ({
  logId,
  position: position + 1,
  mark,
  eventId: id,
  stream,
  revision,
})

/**
 * Whether the log goes on from there: it has the same id, and the same event in the same place. One that was cut off or
 * put back from a copy has not.
 */
export const logContinues = async (store: EventStore, progress: Progress): Promise<boolean> =>
  progress.logId === store.logId && (await hasEventAt(store, progress))

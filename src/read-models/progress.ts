import type { Recorded } from '../domain/event.ts'
import { BEGINNING, type EventStore, NO_STREAM } from '../event-store/event-store.ts'

/** How far a log has been folded, and in which. */
export interface Progress {
  readonly logId: string
  /** The public position of the last event folded, -1 before the first. */
  readonly position: number
  readonly mark: number
  /** The id of the event there: a log that has another one is not the log that was folded. */
  readonly eventId: string
  /** Where that event is found. */
  readonly stream: string
  readonly revision: number
}

export const beforeTheFirst = (logId: string): Progress => ({
  logId,
  position: -1,
  mark: BEGINNING,
  eventId: '',
  stream: '',
  revision: NO_STREAM,
})

export const behind = ({ logId, position }: Progress, { mark, id, stream, revision }: Recorded): Progress => ({
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
export const continues = async (store: EventStore, progress: Progress): Promise<boolean> => {
  const { logId, mark, eventId, stream, revision } = progress
  if (logId !== store.logId) return false
  if (mark === BEGINNING) return true
  for await (const [event] of store.readStream(stream, revision - 1)) {
    return event?.mark === mark && event.id === eventId
  }
  return false
}

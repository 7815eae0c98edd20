import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { FeedEntry } from './entry.ts'

export type EndReason = 'too_slow' | 'stopping' | 'user_changed' | 'another_log' | 'failed'

export const DETAILS: Readonly<Record<EndReason, string>> = {
  too_slow: 'The client read nothing for too long. Resume after the last position.',
  stopping: 'The service is stopping. Resume after the last position.',
  user_changed: 'The user was removed or changed. Resume after the last position with valid credentials.',
  another_log: 'The service has a different log than before. Start again from the beginning.',
  failed: 'The service failed. Its log has the cause.',
}

/** How a stream is encoded, apart from what it is about. */
export interface Frames {
  /** The beginning of the stream. `retry` is the reconnection delay in milliseconds. */
  readonly opening: (retry: number) => string
  /** Shows that the connection is alive. */
  readonly heartbeat: string
  /**
   * The position of a reader for which no event matched, or of the end of a complete transfer: -1 in an empty log.
   * Behind a proxy that speaks HTTP/1.0, only this tells that a transfer was not cut off.
   */
  readonly checkpoint: (position: PublicPosition) => string
  readonly ending: (why: EndReason, position: PublicPosition) => string
}

export interface Format extends Frames {
  readonly event: (entry: FeedEntry) => string
}

/** A message of Server-Sent Events. */
export const eventSource = (type: string, position: PublicPosition, data: string): string =>
  `${position < 0 ? '' : `id: ${formatPosition(position)}\n`}event: ${type}\ndata: ${data}\n\n`

/** Server-Sent Events (WHATWG HTML, section 9.2). */
export const eventStream: Format = {
  opening: (retry) => `retry: ${retry}\n\n`,
  event: (entry) => eventSource(`berth.${entry.type}`, entry.position, entry.json()),
  heartbeat: ':\n\n',
  checkpoint: (position) => eventSource('checkpoint', position, `{"sequence":"${formatPosition(position)}"}`),
  ending: (why, position) => eventSource('error', position, JSON.stringify({ code: why, detail: DETAILS[why] })),
}

/** NDJSON. Lines other than events have a single member `checkpoint` or `error`; a heartbeat is an empty line. */
export const jsonLines: Format = {
  opening: () => '',
  event: (entry) => `${entry.json()}\n`,
  heartbeat: '\n',
  checkpoint: (position) => `{"checkpoint":{"sequence":${position < 0 ? null : `"${formatPosition(position)}"`}}}\n`,
  ending: (why, position) => {
    const sequence = position < 0 ? {} : { sequence: formatPosition(position) }
    return `${JSON.stringify({ error: { code: why, detail: DETAILS[why], ...sequence } })}\n`
  },
}

import { formatPosition } from '../domain/values/position.ts'
import type { Entry } from './entry.ts'

/** Why a stream ends before its reader leaves. */
export type EndReason = 'too_slow' | 'stopping' | 'user_changed' | 'another_log' | 'failed'

export const DETAILS: Readonly<Record<EndReason, string>> = {
  too_slow: 'Nothing was read for too long. Go on from the last position.',
  stopping: 'The service is stopping. Go on from the last position.',
  user_changed: 'The user was removed or changed. Go on from the last position, with credentials that hold.',
  another_log: 'The service has another log than before. Begin anew.',
  failed: 'The service has failed; its log says why.',
}

/** How a stream of events is written. */
export interface Format {
  readonly name: string
  /** Before everything else; the milliseconds after which a reader that was cut off comes back. */
  readonly opening: (retry: number) => string
  readonly event: (entry: Entry) => string
  /** Shows that the connection stands. */
  readonly heartbeat: string
  /** How far a reader has come though nothing that it wants was there. */
  readonly checkpoint: (position: number) => string
  readonly ending: (why: EndReason, position: number) => string
}

const eventSource = (type: string, position: number, data: string): string =>
  `${position < 0 ? '' : `id: ${formatPosition(position)}\n`}event: ${type}\ndata: ${data}\n\n`

/** Server-Sent Events (WHATWG HTML, section 9.2). */
export const eventStream: Format = {
  name: 'event-stream',
  opening: (retry) => `retry: ${retry}\n\n`,
  event: (entry) => eventSource(`berth.${entry.type}`, entry.position, entry.json()),
  heartbeat: ':\n\n',
  checkpoint: (position) => eventSource('checkpoint', position, `{"sequence":"${formatPosition(position)}"}`),
  ending: (why, position) => eventSource('error', position, JSON.stringify({ code: why, detail: DETAILS[why] })),
}

/** One event a line; a line that is none has the one member `checkpoint` or `error`, and an empty one has nothing. */
export const lines: Format = {
  name: 'lines',
  opening: () => '',
  event: (entry) => `${entry.json()}\n`,
  heartbeat: '\n',
  checkpoint: (position) => `{"checkpoint":{"sequence":"${formatPosition(position)}"}}\n`,
  ending: (why, position) => {
    const sequence = position < 0 ? {} : { sequence: formatPosition(position) }
    return `${JSON.stringify({ error: { code: why, detail: DETAILS[why], ...sequence } })}\n`
  },
}

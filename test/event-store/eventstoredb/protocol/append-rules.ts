import type { Bodies, RecentEvents } from './kept-events.ts'

/** A stored event; times are in ticks of 100 ns since 1970. */
export interface LogEvent {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
  readonly created: bigint
}

export type Proposed = Pick<LogEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>

export type Expected = number | 'any' | 'no_stream' | 'stream_exists'

/** The revision of a stream that has no event. */
export const NONE = -1

/** Result of an append; `current` is the stream's revision. A repeated append has no position. */
export type Outcome =
  | { readonly kind: 'success'; readonly revision: number; readonly position?: number }
  | { readonly kind: 'wrong'; readonly current: number; readonly expected: Expected }

export interface Stream {
  readonly name: string
  events: LogEvent[]
  /** The revision of the last event ever written. */
  last: number
  /** Stream reads skip events below this revision. */
  shownFrom: number
  isDeleted: boolean
  maxCount: number
}

export interface State {
  readonly bodies: Bodies
  events: LogEvent[]
  readonly streams: Map<string, Stream>
  readonly recent: RecentEvents
  end: number
  appends: number
}

/** Whether to write an append, or the last revision of an earlier identical append. */
export type Check = 'write' | 'wrong' | { readonly repeated: number }

/** Detects repeats as a node's cache does: by the first event; then all events must match. */
const checkLoose = ({ recent }: State, name: string, events: readonly Proposed[]): Check => {
  const known = events.map(({ id }) => recent.get(id)).map((event) => (event?.stream === name ? event : undefined))
  const first = known[0]?.revision
  if (first === undefined) return 'write'
  return known.every((event, index) => event?.revision === first + index)
    ? { repeated: first + events.length - 1 }
    : 'wrong'
}

export const check = (state: State, name: string, expected: Expected, events: readonly Proposed[]): Check => {
  const stream = state.streams.get(name)
  const current = stream?.last ?? NONE
  const isThere = current !== NONE && stream?.isDeleted !== true
  if (expected === 'stream_exists' && !isThere) return 'wrong'
  if (expected === 'any' || expected === 'stream_exists') return checkLoose(state, name, events)
  const exact = expected === 'no_stream' ? NONE : expected
  if (exact === current) return 'write'
  const isEnough = exact < current && events.length > 0
  // A stream loses events only at its ends, so that those left have consecutive revisions.
  const there = stream?.events ?? []
  const first = exact + 1 - (there[0]?.revision ?? 0)
  if (isEnough && events.every(({ id }, index) => there[first + index]?.id === id)) {
    return { repeated: exact + events.length }
  }
  return expected === 'no_stream' && !isThere ? 'write' : 'wrong'
}

/** A stored event. */
export interface LogEvent {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly type: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
  /** When it was written, in Unix milliseconds. */
  readonly written: number
}

export type Proposed = Pick<LogEvent, 'id' | 'type' | 'data' | 'metadata'>

export type Expected = number | 'any' | 'no_stream'

/** The revision of a stream that has no event. */
export const NONE = -1

/** Result of an append; `current` is the stream's revision. A repeated append has no position. */
export type Outcome =
  | { readonly kind: 'success'; readonly revision: number; readonly position?: number }
  | { readonly kind: 'wrong'; readonly current: number; readonly expected: Expected }

/** An in-memory log with EventStoreDB's append rules. */
export interface Log {
  readonly append: (stream: string, expected: Expected, events: readonly Proposed[]) => Outcome
  readonly remove: (stream: string, expected: Expected) => Outcome
  /** The events that a stream read returns; undefined for a missing or deleted stream. */
  readonly readable: (stream: string) => readonly LogEvent[] | undefined
  readonly all: () => readonly LogEvent[]
  /** Clears the event ids that detect repeated `any` appends, as a node's restart does. */
  readonly forgetRecent: () => void
  /** Drops events after a position, as restoring an old backup does. */
  readonly truncateAfter: (position: number) => void
  /** Called after every change. */
  readonly watch: (tell: () => void) => () => void
}

interface Stream {
  events: LogEvent[]
  /** The revision of the last event ever written. */
  last: number
  /** Stream reads skip events below this revision. */
  shownFrom: number
  isDeleted: boolean
}

/** The server writes a system event after this many appends. */
const SYSTEM_EVERY = 5
const RECORD_BYTES = 97

const systemEvent = (type: string, data: unknown): Proposed => ({
  id: crypto.randomUUID(),
  type,
  data: Buffer.from(JSON.stringify(data)),
  metadata: new Uint8Array(),
})

/** An event of another application. */
export const noted = (): Proposed => systemEvent('Noted', {})

export const makeLog = (): Log => {
  let all: LogEvent[] = []
  const streams = new Map<string, Stream>()
  /** By id: the events that detect repeated `any` appends. A node bounds them. */
  const recent = new Map<string, LogEvent>()
  const watchers = new Set<() => void>()
  let [end, appends] = [0, 0]
  const tell = (): void => {
    for (const watcher of watchers) watcher()
  }

  const streamOf = (name: string): Stream => {
    const stream = streams.get(name) ?? { events: [], last: NONE, shownFrom: 0, isDeleted: false }
    streams.set(name, stream)
    return stream
  }

  /** Returns the position of the last event. */
  const write = (name: string, events: readonly Proposed[]): number | undefined => {
    const stream = streamOf(name)
    if (stream.isDeleted && events.length > 0) {
      stream.isDeleted = false
      stream.shownFrom = stream.last + 1
      write(`$$${name}`, [systemEvent('$metadata', { $tb: stream.shownFrom })])
    }
    let position: number | undefined
    for (const proposed of events) {
      position = end
      const { id, type, data, metadata } = proposed
      const placed = { stream: name, revision: ++stream.last, position, written: Date.now() }
      const event: LogEvent = { id, type, data, metadata, ...placed }
      stream.events.push(event)
      all.push(event)
      recent.set(id, event)
      end += RECORD_BYTES + proposed.data.length + proposed.metadata.length
    }
    return position
  }

  /** Detects repeats as a node's cache does: by the first event; then all events must match. */
  const checkLoose = (name: string, events: readonly Proposed[]): 'write' | 'wrong' | number => {
    const known = events.map(({ id }) => recent.get(id)).map((event) => (event?.stream === name ? event : undefined))
    const first = known[0]?.revision
    if (first === undefined) return 'write'
    return known.every((event, index) => event?.revision === first + index) ? first + events.length - 1 : 'wrong'
  }

  /** Whether to write an append, or the last revision of an earlier identical append. */
  const check = (name: string, expected: Expected, events: readonly Proposed[]): 'write' | 'wrong' | number => {
    if (expected === 'any') return checkLoose(name, events)
    const stream = streams.get(name)
    const current = stream?.last ?? NONE
    const exact = expected === 'no_stream' ? NONE : expected
    if (exact === current) return 'write'
    // A stream loses events only at its ends, so that those left have consecutive revisions.
    const there = stream?.events ?? []
    const first = exact + 1 - (there[0]?.revision ?? 0)
    const isRepeated = events.length > 0 && events.every(({ id }, index) => there[first + index]?.id === id)
    if (exact < current && isRepeated) return exact + events.length
    return expected === 'no_stream' && stream?.isDeleted ? 'write' : 'wrong'
  }

  write('$users', [systemEvent('$UserCreated', { loginName: 'admin' })])
  write('$scavenges', [systemEvent('$scavengeIndexInitialized', {})])

  return {
    append: (stream, expected, events) => {
      const checked = check(stream, expected, events)
      if (checked === 'wrong') return { kind: 'wrong', current: streamOf(stream).last, expected }
      if (checked !== 'write') return { kind: 'success', revision: checked }
      const position = write(stream, events)
      const revision = streamOf(stream).last
      if (position === undefined) return { kind: 'success', revision }
      if (++appends % SYSTEM_EVERY === 0) write('$stats', [systemEvent('$statsCollected', {})])
      tell()
      return { kind: 'success', revision, position }
    },
    remove: (name, expected) => {
      const stream = streamOf(name)
      if (check(name, expected, []) === 'wrong') return { kind: 'wrong', current: stream.last, expected }
      const position = write(`$$${name}`, [systemEvent('$metadata', { $tb: Number.MAX_SAFE_INTEGER })]) as number
      stream.isDeleted = true
      tell()
      return { kind: 'success', revision: stream.last, position }
    },
    readable: (name) => {
      const stream = streams.get(name)
      if (stream === undefined || stream.last === NONE || stream.isDeleted) return undefined
      const { shownFrom, events } = stream
      return shownFrom === 0 ? events : events.filter(({ revision }) => revision >= shownFrom)
    },
    all: () => all,
    forgetRecent: () => recent.clear(),
    truncateAfter: (position) => {
      end = all.find((event) => event.position > position)?.position ?? end
      all = all.filter((event) => event.position <= position)
      for (const stream of streams.values()) {
        stream.events = stream.events.filter((event) => event.position <= position)
        stream.last = stream.events.at(-1)?.revision ?? NONE
      }
      recent.clear()
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

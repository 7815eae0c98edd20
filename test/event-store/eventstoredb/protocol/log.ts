import {
  check,
  type Expected,
  type LogEvent,
  NONE,
  type Outcome,
  type Proposed,
  type State,
  type Stream,
} from './append-rules.ts'
import { Bodies, KeptEvent, RecentEvents } from './kept-events.ts'

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

/** The server writes a system event after this many appends. */
const SYSTEM_EVERY = 5
const RECORD_BYTES = 97

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const streamOf = ({ streams }: State, name: string): Stream => {
  const known = streams.get(name)
  if (known !== undefined) return known
  const made: Stream = {
    name,
    events: [],
    last: NONE,
    shownFrom: 0,
    isDeleted: false,
    maxCount: Number.POSITIVE_INFINITY,
  }
  streams.set(name, made)
  return made
}

const lastOf = (state: State, name: string): number => state.streams.get(name)?.last ?? NONE

/** Applies a metadata event to its stream. */
const applyMetadata = (state: State, { stream, data }: LogEvent): void => {
  const { $tb, $maxCount } = JSON.parse(new TextDecoder().decode(data))
  const about = streamOf(state, stream.slice(2))
  if (typeof $tb === 'number') about.shownFrom = $tb
  if (typeof $maxCount === 'number') about.maxCount = $maxCount
}

const systemEvent = (type: string, data: unknown): Proposed => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/json',
  data: encode(data),
  metadata: new Uint8Array(),
})

const write = (state: State, name: string, events: readonly Proposed[], clock: () => number): number | undefined => {
  if (events.length === 0) return undefined
  const stream = streamOf(state, name)
  if (stream.isDeleted) {
    stream.isDeleted = false
    write(state, `$$${name}`, [systemEvent('$metadata', { $tb: stream.last + 1 })], clock)
  }
  let position: number | undefined
  for (const proposed of events) {
    position = state.end
    const place = { stream: stream.name, revision: stream.last + 1, position, milliseconds: clock() }
    const event = new KeptEvent(state.bodies, proposed, place)
    stream.last = event.revision
    stream.events.push(event)
    state.events.push(event)
    state.recent.add(event)
    state.end += RECORD_BYTES + proposed.data.length + proposed.metadata.length
    if (name.startsWith('$$')) applyMetadata(state, event)
  }
  return position
}

const truncateAfter = (state: State, position: number): void => {
  const lost = state.events.filter((event) => event.position > position)
  state.events = state.events.filter((event) => event.position <= position)
  for (const stream of state.streams.values()) {
    stream.events = stream.events.filter((event) => event.position <= position)
  }
  state.end = lost[0]?.position ?? state.end
  for (const { id } of lost) state.recent.delete(id)
  for (const { stream, revision } of lost.reverse()) streamOf(state, stream).last = revision - 1
}

export const makeLog = (clock: () => number = Date.now): Log => {
  const state: State = {
    bodies: new Bodies(),
    events: [],
    streams: new Map(),
    recent: new RecentEvents(),
    end: 0,
    appends: 0,
  }
  const watchers = new Set<() => void>()
  const tell = (): void => {
    for (const watcher of watchers) watcher()
  }
  write(state, '$users', [systemEvent('$UserCreated', { loginName: 'admin' })], clock)
  write(state, '$scavenges', [systemEvent('$scavengeIndexInitialized', {})], clock)

  const append: Log['append'] = (stream, expected, events) => {
    const found = check(state, stream, expected, events)
    if (found === 'wrong') return { kind: 'wrong', current: lastOf(state, stream), expected }
    if (found !== 'write') return { kind: 'success', revision: found.repeated }
    const position = write(state, stream, events, clock)
    const revision = lastOf(state, stream)
    if (position === undefined) return { kind: 'success', revision }
    state.appends++
    if (state.appends % SYSTEM_EVERY === 0) write(state, '$stats', [systemEvent('$statsCollected', {})], clock)
    tell()
    return { kind: 'success', revision, position }
  }

  return {
    append,
    remove: (stream, expected) => {
      const found = check(state, stream, expected, [])
      if (found === 'wrong') return { kind: 'wrong', current: lastOf(state, stream), expected }
      const position = write(state, `$$${stream}`, [systemEvent('$metadata', { $tb: Number.MAX_SAFE_INTEGER })], clock)
      streamOf(state, stream).isDeleted = true
      tell()
      return { kind: 'success', revision: lastOf(state, stream), ...(position !== undefined && { position }) }
    },
    readable: (name) => {
      const stream = state.streams.get(name)
      if (stream === undefined || stream.last === NONE || stream.isDeleted) return undefined
      const shownFrom = Math.max(stream.shownFrom, stream.last + 1 - stream.maxCount)
      return shownFrom <= 0 ? stream.events : stream.events.filter(({ revision }) => revision >= shownFrom)
    },
    all: () => state.events,
    forgetRecent: () => state.recent.clear(),
    truncateAfter: (position) => truncateAfter(state, position),
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

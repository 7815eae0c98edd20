import { setImmediate as turn } from 'node:timers/promises'
import type { Recorded } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { HistoryPosition, SessionEvents } from '../../read-models/lists/histories.ts'
import type { LogIndex } from '../../read-models/tables/log-index.ts'
import type { Parts } from './parts.ts'

export interface HistoryDependencies extends Pick<Parts, 'objects' | 'views' | 'store'> {
  /** The name of the log. */
  readonly origin: string
  /** The name of an actor that is a user and has not been erased. */
  readonly nameOf: (actor: string) => string | undefined
}

/** Events read or encoded per turn of the event loop. */
export const EVENTS_PER_TURN = 64

/** The events of an object, oldest first. */
export interface History {
  readonly count: number
  /** The number of events up to the one at a position; undefined if that is not one of them. */
  readonly upTo: (position: PublicPosition) => Promise<number | undefined>
  readonly events: (first: number, count: number) => Promise<readonly Recorded[]>
}

export type ReadLogIndex = () => LogIndex

const eventAt = async (
  { store }: HistoryDependencies,
  log: ReadLogIndex,
  position: PublicPosition,
): Promise<Recorded | undefined> => {
  const storePosition = log().storePositionAt(position)
  return storePosition === undefined ? undefined : store.at(storePosition)
}

const eventsAt = async (
  dependencies: HistoryDependencies,
  log: ReadLogIndex,
  positions: readonly Pick<HistoryPosition, 'position'>[],
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for (const [n, { position }] of positions.entries()) {
    if (n % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await turn()
    const event = await eventAt(dependencies, log, position)
    if (event === undefined) throw new StoreUnavailable(`the event at position ${position} cannot be read`)
    events.push(event)
  }
  return events
}

export const historyOfPositions = (
  dependencies: HistoryDependencies,
  log: ReadLogIndex,
  positions: readonly HistoryPosition[],
): History => ({
  count: positions.length,
  upTo: async (position) => positions.findIndex((found) => found.position === position) + 1 || undefined,
  events: (first, count) => eventsAt(dependencies, log, positions.slice(first, first + count)),
})

/** The history of a whole stream. */
export const historyOfStream = (
  dependencies: HistoryDependencies,
  log: ReadLogIndex,
  stream: string,
  count: number,
): History => ({
  count,
  upTo: async (position) => {
    const event = await eventAt(dependencies, log, position)
    return event?.stream === stream ? event.revision + 1 : undefined
  },
  events: async (first, wanted) => {
    const events: Recorded[] = []
    if (wanted <= 0) return events
    for await (const page of dependencies.store.readStream(stream, first - 1)) {
      events.push(...page.slice(0, wanted - events.length))
      if (events.length >= wanted) break
    }
    return events
  },
})

/** The history of a stream of a SUT, and of its sessions among that. */
export const withSessions = (
  dependencies: HistoryDependencies,
  log: ReadLogIndex,
  own: History,
  {
    sutId,
    sessions,
    count,
  }: { readonly sutId: string; readonly sessions: () => SessionEvents; readonly count: number },
): History => ({
  count: own.count + count,
  upTo: async (position) => {
    const before = sessions().lastUpTo(sutId, position)
    if (before?.position === position) return before.place + 1
    const found = await own.upTo(position)
    return found === undefined ? undefined : found + (before === undefined ? 0 : before.nth + 1)
  },
  events: async (first, wanted) => {
    const positions = sessions().between(sutId, first, first + wanted)
    const ownFirst = first - sessions().countBefore(sutId, first)
    const ownEvents = await own.events(ownFirst, Math.min(wanted - positions.length, own.count - ownFirst))
    const events = [...ownEvents]
    const ofSessions = await eventsAt(dependencies, log, positions)
    for (const [n, { place }] of positions.entries()) events.splice(place - first, 0, ofSessions[n] as Recorded)
    return events
  },
})

/** Concatenates histories. */
export const concatHistories = (parts: readonly History[]): History => ({
  count: parts.reduce((sum, { count }) => sum + count, 0),
  upTo: async (position) => {
    let before = 0
    for (const part of parts) {
      const found = await part.upTo(position)
      if (found !== undefined) return before + found
      before += part.count
    }
    return undefined
  },
  events: async (first, count) => {
    const events: Recorded[] = []
    let before = 0
    for (const part of parts) {
      const from = Math.max(0, first + events.length - before)
      const wanted = Math.min(part.count - from, count - events.length)
      if (wanted > 0) events.push(...(await part.events(from, wanted)))
      before += part.count
    }
    return events
  },
})

import { setImmediate as turn } from 'node:timers/promises'
import type { Recorded } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { HistoryPosition } from '../../read-models/lists/histories.ts'
import type { Parts } from './parts.ts'

/** Events read or encoded per turn of the event loop. */
export const EVENTS_PER_TURN = 64

/** The events of an object, oldest first. */
export interface History {
  readonly count: number
  /** The number of events up to the one at a position; undefined if that is not one of them. */
  readonly upTo: (position: PublicPosition) => Promise<number | undefined>
  readonly events: (first: number, count: number) => Promise<readonly Recorded[]>
}

/** Reads the histories of objects whose events are at known positions, or are a whole stream. */
export const makeHistories = ({ views, store }: Pick<Parts, 'views' | 'store'>) => {
  const orUnavailable = <A>(read: A | undefined): A => {
    if (read === undefined) throw new StoreUnavailable('documents cannot be written')
    return read
  }
  const log = () => orUnavailable(views.log() ?? views.stored()?.log)
  const sessions = () => orUnavailable(views.lists() ?? views.stored()?.lists).sessionEvents

  const eventAt = async (position: PublicPosition): Promise<Recorded | undefined> => {
    const storePosition = log().storePositionAt(position)
    return storePosition === undefined ? undefined : store.at(storePosition)
  }

  const eventsAt = async (positions: readonly Pick<HistoryPosition, 'position'>[]): Promise<readonly Recorded[]> => {
    const events: Recorded[] = []
    for (const [n, { position }] of positions.entries()) {
      if (n % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await turn()
      const event = await eventAt(position)
      if (event === undefined) throw new StoreUnavailable(`the event at position ${position} cannot be read`)
      events.push(event)
    }
    return events
  }

  return {
    log,
    ofPositions: (positions: readonly HistoryPosition[]): History => ({
      count: positions.length,
      upTo: async (position) => positions.findIndex((found) => found.position === position) + 1 || undefined,
      events: (first, count) => eventsAt(positions.slice(first, first + count)),
    }),
    /** The history of a whole stream. */
    ofStream: (stream: string, count: number): History => ({
      count,
      upTo: async (position) => {
        const event = await eventAt(position)
        return event?.stream === stream ? event.revision + 1 : undefined
      },
      events: async (first, wanted) => {
        const events: Recorded[] = []
        if (wanted <= 0) return events
        for await (const page of store.readStream(stream, first - 1)) {
          events.push(...page.slice(0, wanted - events.length))
          if (events.length >= wanted) break
        }
        return events
      },
    }),
    /** The history of the stream of a SUT, and of its sessions among that. */
    withSessions: (own: History, sutId: string, count: number): History => ({
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
        const ofSessions = await eventsAt(positions)
        for (const [n, { place }] of positions.entries()) events.splice(place - first, 0, ofSessions[n] as Recorded)
        return events
      },
    }),
  }
}
export type ReadHistories = ReturnType<typeof makeHistories>

/**
 * The number of events before the first that was recorded at or after a time, in Unix milliseconds. Looks from the newest
 * back: the older an event of a SUT is, the more it costs to read.
 */
export const countBefore = async ({ count, events }: History, time: number): Promise<number> => {
  const isBefore = async (n: number): Promise<boolean> => {
    const [event] = await events(n, 1)
    return event !== undefined && epochMillisecondsOf(event.metadata.time) < time
  }
  let [last, first] = [count, count - 1]
  for (let step = 1; first >= 0 && !(await isBefore(first)); step *= 2) [last, first] = [first, first - step]
  for (let low = Math.max(first, -1); last - low > 1; ) {
    const middle = Math.floor((low + last) / 2)
    if (await isBefore(middle)) low = middle
    else last = middle
  }
  return last
}

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

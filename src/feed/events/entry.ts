import { type EventType, type Recorded, sutIdOf, userOf } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { escapeLineSeparators } from '../../domain/values/text.ts'
import { type Change, changeOf } from './change.ts'
import { cloudEvent } from './cloud-event.ts'

/** An event of the log with its public position. */
export interface FeedEntry {
  readonly position: PublicPosition
  readonly type: EventType
  readonly sutId: string | undefined
  /** The holder of the reservation, or the user that the event is about. */
  readonly userId: string | undefined
  /** Who caused it. */
  readonly actor: string
  /** When, in Unix milliseconds. */
  readonly time: number
  /** What it changes; undefined if nobody is told. */
  readonly change: Change | undefined
  /** As a CloudEvent, encoded once for all readers. */
  readonly json: () => string
}

/** Which events to include. An absent member does not filter. */
export interface Filter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly sutId?: string | undefined
  readonly userId?: string | undefined
  readonly actor?: string | undefined
  /** Unix milliseconds: only events from then on. */
  readonly from?: number | undefined
  /** Unix milliseconds: only events before. */
  readonly to?: number | undefined
}

export const isWanted = ({ types, sutId, userId, actor, from, to }: Filter, entry: FeedEntry): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (sutId === undefined || sutId === entry.sutId) &&
  (userId === undefined || userId === entry.userId) &&
  (actor === undefined || actor === entry.actor) &&
  (from === undefined || from <= entry.time) &&
  (to === undefined || entry.time < to)

/** The first entries with at most `charactersMax` characters together, but at least one entry. */
export const firstOf = (entries: readonly FeedEntry[], charactersMax: number): readonly FeedEntry[] => {
  let characters = 0
  const end = entries.findIndex((entry, i) => {
    characters += entry.json().length
    return i > 0 && characters > charactersMax
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** @param origin the name of the log */
export const makeEntry = (recorded: Recorded, position: PublicPosition, origin: string): FeedEntry => {
  let event: Recorded | undefined = recorded
  let json = ''
  return {
    position,
    type: recorded.type,
    sutId: sutIdOf(recorded),
    userId: userOf(recorded),
    actor: recorded.metadata.actor,
    time: epochMillisecondsOf(recorded.metadata.time),
    change: changeOf(recorded, position),
    json: () => {
      if (event !== undefined) json = escapeLineSeparators(JSON.stringify(cloudEvent(event, position, origin)))
      // Keep the text only, so that the event can be collected.
      event = undefined
      return json
    },
  }
}

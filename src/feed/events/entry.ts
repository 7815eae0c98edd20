import { type EventType, factsOf, type Recorded, sutIdOf, userOf } from '../../domain/event.ts'
import { type ChangeKind, KINDS, type ObjectKind } from '../../domain/events/declaration.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { escapeLineSeparators } from '../../domain/values/text.ts'
import { cloudEvent } from './cloud-event.ts'

/** An object that has changed, by one event or by several. */
export interface Change {
  /** The position of the last of its events. */
  readonly position: PublicPosition
  readonly kind: ChangeKind
  readonly id: string
  readonly sutId: string | undefined
  /** The holder of a reservation, request or session, or the user itself. */
  readonly userId: string | undefined
  /** Whether a user came, went, returned, was erased or renamed. */
  readonly isOfRoster: boolean
  /** Whether a user got another quota, and another scope. */
  readonly hasNewQuota: boolean
  readonly hasNewScope: boolean
  /** Where the tags of a SUT changed: revisions in its stream. */
  readonly retagged: readonly number[]
}

const isTold = (kind: ObjectKind | undefined): kind is ChangeKind => (KINDS as readonly unknown[]).includes(kind)

const isRenamed = (event: Recorded): boolean =>
  event.type === 'UserChanged' && event.data.credentials?.changed.includes('name') === true

/** What an event changes; undefined if nobody is told. */
const changeOf = (event: Recorded, position: PublicPosition): Change | undefined => {
  const { object: kind, changesNothing = false } = factsOf(event.type)
  if (changesNothing || !isTold(kind) || !('_id' in event.data)) return undefined
  const { type, data, revision } = event
  return {
    ...{ position, kind, id: event.data._id, sutId: sutIdOf(event), userId: userOf(event) },
    isOfRoster: kind === 'user' && (type !== 'UserChanged' || isRenamed(event)),
    hasNewQuota: type === 'UserChanged' && data.quota !== undefined,
    hasNewScope: type === 'UserChanged' && data.scope !== undefined,
    retagged: type === 'SutUpdated' && data.tags !== undefined ? [revision] : [],
  }
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

/** An event of the log with its public position. @param origin the name of the log */
export const makeEntry = (recorded: Recorded, position: PublicPosition, origin: string) => {
  let event: Recorded | undefined = recorded
  let json = ''
  return {
    ...{ id: recorded.id, position, type: recorded.type, actor: recorded.metadata.actor },
    ...{ sutId: sutIdOf(recorded), userId: userOf(recorded) },
    time: epochMillisecondsOf(recorded.metadata.time),
    change: changeOf(recorded, position),
    /** As a CloudEvent, encoded once for all readers. */
    json: (): string => {
      if (event !== undefined) json = escapeLineSeparators(JSON.stringify(cloudEvent(event, position, origin)))
      // Keep the text only, so that the event can be collected.
      event = undefined
      return json
    },
  }
}

export type FeedEntry = Readonly<ReturnType<typeof makeEntry>>

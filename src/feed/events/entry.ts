import type { EventType, Recorded } from '../../domain/event.ts'
import { cloudEvent, holderOf, sutIdOf } from './cloud-event.ts'

/** An event of the log with its public position. */
export interface Entry {
  readonly position: number
  readonly type: EventType
  readonly sutId: string | undefined
  readonly holder: string | undefined
  /** As a CloudEvent, encoded once for all readers. */
  readonly json: () => string
}

/** Which events to include. An absent member does not filter. */
export interface Filter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly sutId?: string | undefined
  readonly userId?: string | undefined
}

export const isFiltering = ({ types, sutId, userId }: Filter): boolean =>
  types !== undefined || sutId !== undefined || userId !== undefined

export const isWanted = ({ types, sutId, userId }: Filter, entry: Entry): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (sutId === undefined || sutId === entry.sutId) &&
  (userId === undefined || userId === entry.holder)

/** The first entries with at most `charactersMax` characters together, but at least one entry. */
export const firstOf = (entries: readonly Entry[], charactersMax: number): readonly Entry[] => {
  let characters = 0
  const end = entries.findIndex((entry, i) => {
    characters += entry.json().length
    return i > 0 && characters > charactersMax
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** @param origin the name of the log */
export const makeEntry = (recorded: Recorded, position: number, origin: string): Entry => {
  let event: Recorded | undefined = recorded
  let json = ''
  return {
    position,
    type: recorded.type,
    sutId: sutIdOf(recorded),
    holder: holderOf(recorded),
    json: () => {
      if (event !== undefined) json = JSON.stringify(cloudEvent(event, position, origin))
      // Keep the text only, so that the event can be collected.
      event = undefined
      return json
    },
  }
}

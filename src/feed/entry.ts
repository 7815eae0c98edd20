import type { EventType, Recorded } from '../domain/event.ts'
import { cloudEvent, holderOf, sutIdOf } from './cloud-event.ts'

/** An event of the log at its public position, on its way to whoever wants it. */
export interface Entry {
  readonly position: number
  readonly type: EventType
  /** The SUT that it is about, if it is about one. */
  readonly sutId: string | undefined
  /** The user who holds the reservation that it is about, if it is about one. */
  readonly holder: string | undefined
  /** As a CloudEvent: written once, for all who want it. */
  readonly json: () => string
}

/** Which events are wanted; what is left out is not looked at. */
export interface Filter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly sutId?: string | undefined
  readonly userId?: string | undefined
}

/** Whether there is anything that it keeps out. */
export const isFiltering = ({ types, sutId, userId }: Filter): boolean =>
  types !== undefined || sutId !== undefined || userId !== undefined

export const isWanted = ({ types, sutId, userId }: Filter, entry: Entry): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (sutId === undefined || sutId === entry.sutId) &&
  (userId === undefined || userId === entry.holder)

/** As many of some events as have so many characters together, and one at least. */
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
      // The text is all that is wanted of it from here on.
      event = undefined
      return json
    },
  }
}

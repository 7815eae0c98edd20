/** The feed, as the page asks for it and reads it. Pure. */

import { midnightOf } from '../../format/format.ts'
import type { Schemas } from '../../service/api.ts'
import type { Change, Entry } from './entries.ts'
import { KINDS, type Kind, typesOf } from './templates.ts'

export interface FeedEvent extends Omit<Entry, 'changes' | 'actorname'> {}

/** What one wants to see. It stands in the address. */
export interface Filter {
  /** Among what was read. */
  readonly text: string
  readonly kind: ReadonlySet<string>
  /** Who did it. */
  readonly by: string
  /** Whose reservations, account and tokens. */
  readonly about: string
  readonly machine: string
  /** Days, `2026-11-25`, in the browser's zone. */
  readonly from: string
  readonly to: string
}

export const NO_FILTER: Filter = {
  ...{ text: '', kind: new Set<string>(), by: '', about: '', machine: '', from: '', to: '' },
}

const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** Midnight at the beginning of a day of the browser's zone, such as `2026-11-25`. */
export const timeOfDay = (day: string): number => Date.parse(`${day}T00:00`)

/** Swedes write days as the address does. */
export const { format: dayOfTime } = new Intl.DateTimeFormat('sv')

const midnight = (day: string, daysLater: number): string =>
  new Date(midnightOf(timeOfDay(day), daysLater)).toISOString()

/**
 * The parameters of `/api/events` that a filter is. The last day is one of it; two days may be given the wrong way
 * round.
 */
export const queryOf = ({ kind, by, about, machine, ...days }: Filter): string => {
  const isSwapped = days.from !== '' && days.to !== '' && days.to < days.from
  const [from, to] = isSwapped ? [days.to, days.from] : [days.from, days.to]
  const parameters = {
    ...{ type: [...kind].filter(isKind).flatMap(typesOf).join(), actor: by, user_id: about, sut_id: machine },
    ...{ from: isDay(from) ? midnight(from, 0) : '', to: isDay(to) ? midnight(to, 1) : '' },
  }
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString()
}

/** What an event itself says that changed. What was before is not in it. */
const changesOf = ({ type, data }: FeedEvent): readonly Change[] => {
  if (type !== 'berth.SutUpdated') return []
  const { _id, tags = {}, credentials, ...fields } = data as Schemas['SutUpdatedData']
  return [
    ...Object.entries(fields).map(([name, to]) => ({ path: `/${name}`, to })),
    ...Object.entries(tags).map(([name, to]) => ({ path: `/tags/${name}`, to })),
    ...(credentials?.changed ?? []).map((name) => ({ path: `/${name}`, changed: true as const })),
  ]
}

export const entryOf = (event: FeedEvent): Entry => ({ ...event, changes: changesOf(event) })

const OF_MACHINE: ReadonlySet<string> = new Set(
  [...typesOf('changes'), ...typesOf('monitoring')].map((type) => `berth.${type}`),
)

export const sutIdOf = ({ type, data }: FeedEvent): string | undefined => {
  const id = data.sut_id ?? (OF_MACHINE.has(type) ? data._id : undefined)
  return typeof id === 'string' ? id : undefined
}

/** Newer events before older ones, each once. */
export const joined = (newer: readonly FeedEvent[], older: readonly FeedEvent[]): readonly FeedEvent[] => {
  const known = new Set(newer.map(({ sequence }) => sequence))
  return [...newer, ...older.filter(({ sequence }) => !known.has(sequence))]
}

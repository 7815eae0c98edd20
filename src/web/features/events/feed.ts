import { midnightOf } from '../../format/times.ts'
import type { Change, Entry } from './entries.ts'
import { KINDS, type Kind, typesOf } from './templates.ts'

/** The feed, as the page asks for it and reads it. Pure. */

export interface FeedEvent extends Omit<Entry, 'changes' | 'actorname'> {}

/** What one wants to see. It stands in the address. */
export interface Filter {
  /** Among what was read. */
  readonly text: string
  readonly kinds: ReadonlySet<Kind>
  /** Who did it. */
  readonly actor: string | undefined
  /** Whose reservations, account and tokens. */
  readonly user: string | undefined
  readonly sut: string | undefined
  /** Days, `2026-11-25`, in the browser's zone. */
  readonly from: string | undefined
  readonly to: string | undefined
}

const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)
const isDay = (text: string | undefined): boolean => /^\d{4}-\d\d-\d\d$/.test(text ?? '')

export const filterOf = (parameters: ReadonlyMap<string, string>): Filter => {
  const [from, to] = [parameters.get('from'), parameters.get('to')]
  return {
    text: parameters.get('text') ?? '',
    kinds: new Set((parameters.get('kind') ?? '').split(',').filter(isKind)),
    actor: parameters.get('by'),
    user: parameters.get('about'),
    sut: parameters.get('machine'),
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
  }
}

export const parametersOf = ({
  text,
  kinds,
  actor,
  user,
  sut,
  from,
  to,
}: Filter): Readonly<Record<string, string>> => ({
  ...(text !== '' && { text }),
  ...(kinds.size > 0 && { kind: [...kinds].join(',') }),
  ...(actor !== undefined && { by: actor }),
  ...(user !== undefined && { about: user }),
  ...(sut !== undefined && { machine: sut }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})

export const isFiltering = (filter: Filter): boolean => Object.keys(parametersOf(filter)).length > 0

/** Midnight at the beginning of a day of the browser's zone, such as `2026-11-25`. */
export const timeOfDay = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

export const dayOfTime = (time: number): string => {
  const date = new Date(time)
  const parts = [String(date.getFullYear()).padStart(4, '0'), date.getMonth() + 1, date.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

const midnight = (day: string, daysLater: number): string =>
  new Date(midnightOf(timeOfDay(day), daysLater)).toISOString()

/**
 * The parameters of `/api/events` that a filter is. The last day is one of it; two days may be given the wrong way
 * round.
 */
export const queryOf = ({ kinds, actor, user, sut, from: first, to: last }: Filter): string => {
  const isSwapped = first !== undefined && last !== undefined && last < first
  const [from, to] = isSwapped ? [last, first] : [first, last]
  return new URLSearchParams({
    ...(kinds.size > 0 && { type: [...kinds].flatMap(typesOf).join(',') }),
    ...(actor !== undefined && { actor }),
    ...(user !== undefined && { user_id: user }),
    ...(sut !== undefined && { sut_id: sut }),
    ...(from !== undefined && { from: midnight(from, 0) }),
    ...(to !== undefined && { to: midnight(to, 1) }),
  }).toString()
}

/** What an event itself says that changed. What was before is not in it. */
const changesOf = ({ type, data }: FeedEvent): readonly Change[] => {
  if (type !== 'berth.SutUpdated') return []
  const {
    _id,
    tags = {},
    credentials,
    ...fields
  } = data as {
    readonly _id: string
    readonly tags?: Readonly<Record<string, unknown>>
    readonly credentials?: { readonly changed: readonly string[] }
  } & Readonly<Record<string, unknown>>
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

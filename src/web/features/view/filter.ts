import { type Sut, takenOf } from '../../data/objects.ts'
import { fold, HOUR } from '../../format/format.ts'
import type { Criteria } from '../reserve/criteria.ts'
import { type Booked, freeUntil } from '../schedule/calendar.ts'

export interface Filter {
  readonly text: string
  readonly types: ReadonlySet<Sut['sut_type']>
  /** `name=value`. */
  readonly tags: ReadonlySet<string>
  readonly isFreeNow: boolean
}

export const NO_FILTER: Filter = { text: '', types: new Set(), tags: new Set(), isFreeNow: false }

export const isFiltering = ({ text, types, tags, isFreeNow }: Filter): boolean =>
  text !== '' || types.size > 0 || tags.size > 0 || isFreeNow

const tagsOf = ({ tags }: Pick<Sut, 'tags'>): readonly string[] =>
  Object.entries(tags).map(([name, value]) => `${name}=${value}`)

export const isFreeForAnHour = (sut: Sut, booked: readonly Booked[], now: number): boolean => {
  const until = sut.is_active && sut.monitoring.status !== 'Offline' ? freeUntil(takenOf(sut, booked), now) : undefined
  return until !== undefined && until >= now + HOUR
}

export const matchesText = ({ name, os, version, description, tags }: Sut, text: string): boolean =>
  [name, os, version, description, ...Object.values(tags)].some((part) => fold(part).includes(fold(text)))

const byName = (tags: ReadonlySet<string>) => [...Map.groupBy(tags, (tag) => tag.slice(0, tag.indexOf('=')))]

/** A machine must have, of each tag name that is chosen, one of the chosen values. */
export const matchesTags = (sut: Sut, chosen: ReadonlySet<string>): boolean => {
  const own = new Set(tagsOf(sut))
  return byName(chosen).every(([, any]) => any.some((tag) => own.has(tag)))
}

export const matches = (sut: Sut, booked: readonly Booked[], filter: Filter, now: number): boolean =>
  (filter.text === '' || matchesText(sut, filter.text)) &&
  (filter.types.size === 0 || filter.types.has(sut.sut_type)) &&
  matchesTags(sut, filter.tags) &&
  (!filter.isFreeNow || isFreeForAnHour(sut, booked, now))

const NAMES_MAX = 32

/** Whether criteria cannot say the text: there are no criteria for it but names, and it fits too many machines. */
export const isTextLeftOut = ({ text }: Filter, shown: readonly Sut[]): boolean =>
  text !== '' && shown.length > NAMES_MAX

export const criteriaOf = (filter: Filter, shown: readonly Sut[]): Criteria => {
  const { text, types, tags } = filter
  if (text !== '' && !isTextLeftOut(filter, shown)) return new Map([['name', shown.map(({ name }) => name)]])
  const ofTags = byName(tags).map(([name, of]) => [`tag.${name}`, of.map((tag) => tag.slice(name.length + 1))] as const)
  return new Map<string, readonly string[]>([
    ...(types.size === 0 ? [] : [['sut_type', [...types]] as const]),
    ...ofTags,
  ])
}

/** What a machine must be that one wants: fields and tags, each with the values of which one is enough. Pure. */

import { type Match, type Sut, TYPES } from '../../data/objects.ts'
import { compareNames, fold } from '../../format/format.ts'

/** A value; `null` where a machine has no such tag, or nothing in the field. */
export type Value = string | null

/** By `os` and other fields, and `tag.<name>`. */
export type Criteria = ReadonlyMap<string, readonly Value[]>

export const NO_CRITERIA: Criteria = new Map()

const FIELDS = {
  os: 'Operating system',
  sut_type: 'Type',
  manufacturer: 'Manufacturer',
  model: 'Model',
  version: 'Version',
  // It comes with a link only: who wants one machine takes it on the schedule.
  name: 'Name',
} as const
const NAMED = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
const TAG = 'tag.'

export const isTag = (key: string): boolean => key.startsWith(TAG)
export const tagOf = (key: string): string => key.slice(TAG.length)

const ownValue = (sut: Sut, key: string): Value => {
  if (isTag(key)) return Object.hasOwn(sut.tags, tagOf(key)) ? (sut.tags[tagOf(key)] as string) : null
  return String(sut[key as keyof Sut] ?? '') || null
}

/** Fields are the same in any case, tags are not. */
const isSame = (key: string, a: Value, b: Value): boolean =>
  a === b || (!isTag(key) && a !== null && b !== null && fold(a) === fold(b))

const holds = (sut: Sut, [key, values]: readonly [string, readonly Value[]]): boolean => {
  const own = ownValue(sut, key)
  return values.some((value) => isSame(key, own, value))
}

/** Whether a machine is what one wants. The service decides; this is to count and to choose. */
export const fits = (sut: Sut, criteria: Criteria): boolean => [...criteria].every((each) => holds(sut, each))

/** Whether a machine has all tags of a scope: `team=qa,rack=4`, with escapes in values. */
export const isInScope = ({ tags }: Pick<Sut, 'tags'>, scope: string): boolean =>
  scope === '' ||
  scope.split(',').every((tag) => {
    const [name = '', value = ''] = tag.split('=')
    return Object.hasOwn(tags, name) && tags[name] === decodeURIComponent(value)
  })

/** Tells whether a machine is what somebody else wants, who may have said more than the page can. */
export const meeting = (match: Match): ((sut: Sut) => boolean) => {
  const [wanted, unwanted] = [fromMatch(match), [...fromMatch(match.not ?? {})]]
  return (sut) => fits(sut, wanted) && !unwanted.some((each) => holds(sut, each))
}

/** Criteria with a value chosen, or no longer. To have no such tag goes with no value of it. */
export const toggledValue = (criteria: Criteria, key: string, value: Value): Criteria => {
  const before = criteria.get(key) ?? []
  const others = before.filter((each) => !isSame(key, each, value))
  const isChosen = others.length < before.length
  const alike = others.filter((each) => (each === null) === (value === null))
  const left = isChosen ? others : [...alike, value]
  const next = new Map(criteria)
  if (left.length === 0) next.delete(key)
  else next.set(key, left)
  return next
}

/** Every machine has one of these. The interface wants at least one criterion. */
const ANY: Match = { sut_type: Object.keys(TYPES) }

export const toMatch = (criteria: Criteria): Match => {
  if (criteria.size === 0) return ANY
  const entries = [...criteria]
  const asked = (values: readonly Value[]) => (values[0] === null ? null : values)
  const fields = entries.filter(([key]) => !isTag(key)).map(([key, values]) => [key, asked(values)])
  const tags = entries.filter(([key]) => isTag(key)).map(([key, values]) => [tagOf(key), asked(values)])
  return { ...Object.fromEntries(fields), ...(tags.length > 0 && { tags: Object.fromEntries(tags) }) }
}

const valuesOf = (asked: unknown): readonly Value[] =>
  asked === null ? [null] : [asked].flat().filter((each) => typeof each === 'string')

/** What an address says that one wants. What is not understood of it is left out. */
export const fromMatch = (match: Match): Criteria => {
  const fields = NAMED.map((key) => [key, valuesOf(match[key])] as const)
  const { tags } = match
  const named = typeof tags === 'object' && tags !== null ? Object.entries(tags) : []
  const ofTags = named.map(([name, asked]) => [`${TAG}${name}`, valuesOf(asked)] as const)
  return new Map([...fields, ...ofTags].filter(([, values]) => values.length > 0))
}

export const likeOf = ({ os, sut_type }: Pick<Sut, 'os' | 'sut_type'>): Criteria =>
  new Map([...(os === '' ? [] : [['os', [os]] as const]), ['sut_type', [sut_type]] as const])

export interface Choosable {
  readonly key: string
  readonly label: string
  readonly values: readonly { readonly value: Value; readonly text: string; readonly isChosen: boolean }[]
  readonly isUsual: boolean
}

const TAGS_SHOWN = 2

export const textOfValue = (key: string, value: Value): string =>
  value === null ? 'not set' : key === 'sut_type' ? (TYPES[value as Sut['sut_type']] ?? value) : value

const labelOf = (key: string): string => (isTag(key) ? tagOf(key) : FIELDS[key as keyof typeof FIELDS])

const choosableOf = (suts: readonly Sut[], criteria: Criteria, key: string): Omit<Choosable, 'isUsual'> => {
  const chosen = criteria.get(key) ?? []
  const byFolded = new Map<string | null, Value>()
  const own = key === 'name' ? [] : suts.map((sut) => ownValue(sut, key))
  // Whoever chooses a field wants a machine that has one.
  const had = own.filter((value) => value !== null || isTag(key))
  for (const value of [...had, ...chosen]) {
    const folded = value === null || isTag(key) ? value : fold(value)
    if (!byFolded.has(folded)) byFolded.set(folded, value)
  }
  const values = [...byFolded.values()]
    .map((value) => ({
      ...{ value, text: textOfValue(key, value) },
      isChosen: chosen.some((each) => isSame(key, each, value)),
    }))
    // Having none comes last.
    .sort((a, b) => Number(a.value === null) - Number(b.value === null) || compareNames(a.text, b.text))
  return { key, label: labelOf(key), values }
}

/** By what one can choose among machines: what they do not all have alike. */
export const choosablesOf = (suts: readonly Sut[], criteria: Criteria): readonly Choosable[] => {
  const counts = new Map<string, number>()
  for (const name of suts.flatMap(({ tags }) => Object.keys(tags))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const tags = [...counts].sort(([a, m], [b, n]) => n - m || compareNames(a, b)).map(([name]) => `${TAG}${name}`)
  const shown = tags.slice(0, TAGS_SHOWN)
  const keys = new Set(['os', ...shown, ...NAMED, ...tags, ...criteria.keys()])
  return [...keys]
    .map((key) => ({
      ...choosableOf(suts, criteria, key),
      isUsual: key === 'os' || shown.includes(key) || criteria.has(key),
    }))
    .filter(({ key, values }) => values.length > 1 || criteria.has(key))
}

/** What those want who wait, and who is before whom. Pure. */

import type { Match, Sut, SutRequest } from '../../data/objects.ts'
import { formatDuration } from '../../format/format.ts'
import { fromMatch, isTag, meeting, tagOf, textOfValue } from '../reserve/criteria.ts'

/** Words, and in objects what others have named: text whose direction is its own. */
export type Words = readonly (string | { readonly name: string })[]

const NAMED: Readonly<Record<string, string>> = { model: 'model ', version: 'version ' }

const wordsOfValues = (key: string, values: readonly (string | null)[]): Words =>
  values.flatMap((value, n) => [...(n === 0 ? [] : [' or ']), { name: textOfValue(key, value) }])

const wordsOfCriteria = (match: Match): readonly Words[] =>
  [...fromMatch(match)].map(([key, values]) => {
    const name = isTag(key) ? tagOf(key) : key
    if (values[0] === null) return ['no ', { name }]
    if (isTag(key)) return [{ name }, ' ', ...wordsOfValues(key, values)]
    return [...(NAMED[key] === undefined ? [] : [NAMED[key]]), ...wordsOfValues(key, values)]
  })

const joinedBy = (between: string, all: readonly Words[]): Words =>
  all.flatMap((words, n) => [...(n === 0 ? [] : [between]), ...words])

const TYPES = 3

const isAny = ({ sut_type, ...others }: Match): boolean =>
  Object.keys(others).length === 0 && Array.isArray(sut_type) && sut_type.length === TYPES

/** `any Ubuntu, gpu a100 or l4`. */
export const wordsOfMatch = (match: Match): Words => {
  if (isAny(match)) return ['any machine']
  const not = wordsOfCriteria(match.not ?? {}).map((words): Words => ['not ', ...words])
  return ['any ', ...joinedBy(', ', [...wordsOfCriteria(match), ...not])]
}

/** `bench 1, 45 m`, `any Ubuntu, 2 h, priority 5`. */
export const wordsOfRequest = (
  { match, sut_id = '', duration, priority }: Pick<SutRequest, 'match' | 'sut_id' | 'duration' | 'priority'>,
  nameOf: (sutId: string) => string,
): Words => [
  ...(match === undefined ? [{ name: nameOf(sut_id) }] : wordsOfMatch(match)),
  // A number and its unit stay on one line.
  `, ${formatDuration(duration * 1_000).replaceAll(' ', '\u00a0')}`,
  ...(priority === 0 ? [] : [`, priority ${priority}`.replace('-', '−')]),
]

export const [PRIORITY_MIN, PRIORITY_MAX] = [-100, 100] as const

export const asPriority = (typed: string): number | undefined => {
  const priority = typed.trim() === '' ? Number.NaN : Number(typed)
  return Number.isInteger(priority) && priority >= PRIORITY_MIN && priority <= PRIORITY_MAX ? priority : undefined
}

export const priorityText = (priority: number): string =>
  priority === 0
    ? 'Same as everyone: longest wait goes first.'
    : priority > 0
      ? 'Ahead of everyone with a lower priority, even if they have waited longer.'
      : 'Behind everyone with a higher priority, even if they join later.'

/**
 * Those of a list, which has the newest first, that may be granted something: higher priority first, then who has waited
 * longest.
 */
export const ranked = (list: readonly SutRequest[]): readonly SutRequest[] =>
  list
    .filter(({ passed_over }) => passed_over !== true)
    .reverse()
    .sort((a, b) => b.priority - a.priority)

const wantingOneOf = (suts: readonly Sut[]): ((request: SutRequest) => boolean) => {
  const ids = new Set(suts.map(({ _id }) => _id))
  // In a long queue many want the same.
  const known = new Map<string, boolean>()
  return ({ match, sut_id = '' }) => {
    if (match === undefined) return ids.has(sut_id)
    const key = JSON.stringify(match)
    const isKnown = known.get(key) ?? suts.some(meeting(match))
    known.set(key, isKnown)
    return isKnown
  }
}

/** Those before somebody who comes now with a priority: who want one of the same machines. */
export const aheadOf = (suts: readonly Sut[], waiting: readonly SutRequest[], priority: number): number => {
  const wantsOne = wantingOneOf(suts)
  return waiting.filter((request) => request.priority >= priority && wantsOne(request)).length
}

/** `1st`, `2nd`, `11th`. */
export const ordinalOf = (place: number): string => {
  const isTeen = place % 100 >= 11 && place % 100 <= 13
  return `${place}${(!isTeen && ['st', 'nd', 'rd'][(place % 10) - 1]) || 'th'}`
}

const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = '[\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}]'
/** From a letter of such a script to the last one before letters of others. */
const BACKWARDS = new RegExp(`${RIGHT_TO_LEFT}(?:[^\\p{L}]*${RIGHT_TO_LEFT})*\\p{M}*`, 'gu')
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g

/**
 * A sentence of the service as the page shows it: times in the browser's zone, and names that turn neither their own
 * direction nor that of what follows them.
 */
export const sentenceHere = (sentence: string, timeText: (time: number) => string): string =>
  sentence
    .replaceAll(MARKS, '')
    .replaceAll(BACKWARDS, '\u2068$&\u2069')
    .replaceAll(TIME, (time) => timeText(Date.parse(time)))

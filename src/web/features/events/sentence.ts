import type { IconName } from '../../parts/icon-name.ts'
import type { Entry } from './entries.ts'
import { HOLES, type Part, type Reader } from './holes.ts'
import { type Kind, RUNS, templateOf } from './templates.ts'

/** What was recorded, in sentences: about the lab, or about one machine, which is "it". Pure. */
export interface Sentence {
  readonly kind: Kind
  readonly icon: IconName
  readonly parts: readonly Part[]
}

const nameOf = ({ type }: Entry): string => type.replace(/^berth\./, '')

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const capitalized = (part: Part): Part => {
  if (typeof part === 'string') return capital(part)
  return 'name' in part && part.name === 'you' ? { name: 'You' } : part
}

const fill = (hole: string, entry: Entry, reader: Reader): readonly Part[] => {
  const [, before = '', name = ''] = /^(.*?)(\w+)$/.exec(hole) ?? []
  const filling = HOLES[name]?.(entry, reader)
  if (filling === undefined) return []
  const parts = Array.isArray(filling) ? filling : [filling]
  return before === '' ? parts : [before, ...parts]
}

const partsOf = (text: string, entry: Entry, reader: Reader): readonly Part[] => {
  const [first = '', ...rest] = text
    .split(/\{(.*?)\}/)
    .flatMap((piece, n): readonly Part[] => (n % 2 === 0 ? [piece] : fill(piece, entry, reader)))
    .filter((part) => part !== '')
  return [capitalized(first), ...rest]
}

export const sentenceOf = (entry: Entry, reader: Reader): Sentence => {
  const { kind, template } = templateOf(nameOf(entry))
  const { data, actor } = entry
  const [icon, text] = typeof template === 'function' ? template(data, (data.user_id ?? data._id) === actor) : template
  return { kind, icon, parts: partsOf(text, entry, reader) }
}

export const textOf = ({ parts }: Sentence): string =>
  parts.map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : part.machine)).join('')

export interface Run {
  /** Newest first. */
  readonly entries: readonly Entry[]
  readonly sentence: Sentence
}

/** As many alike are told as one. */
const RUN_MIN = 4

/** Entries in a row that differ only in what they are about are one run, if there are many of them. */
export const runsOf = (entries: readonly Entry[], reader: Reader): readonly Run[] => {
  const groups: Entry[][] = []
  for (const entry of entries) {
    const [last] = groups.at(-1) ?? []
    const isAlike = last?.type === entry.type && last.actor === entry.actor && last.reason === entry.reason
    if (isAlike) groups.at(-1)?.push(entry)
    else groups.push([entry])
  }
  return groups.flatMap((group): readonly Run[] => {
    const [entry] = group as [Entry]
    const text = RUNS[nameOf(entry)]
    if (text === undefined || group.length < RUN_MIN)
      return group.map((each) => ({ entries: [each], sentence: sentenceOf(each, reader) }))
    const counted = { ...entry, data: { ...entry.data, count: group.length } }
    return [{ entries: group, sentence: { ...sentenceOf(entry, reader), parts: partsOf(text, counted, reader) } }]
  })
}

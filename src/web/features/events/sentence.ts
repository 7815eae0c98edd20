import { capitalized, formatSecond } from '../../format/format.ts'
import type { IconName } from '../../parts/icon-name.ts'
import type { Entry } from './entries.ts'
import { HOLES, type Part, type Reader } from './holes.ts'
import { type Kind, QUIET, RUNS, templateOf } from './templates.ts'

/** What was recorded, in sentences: about the lab, or about one machine, which is "it". Pure. */
export interface Sentence {
  readonly kind: Kind
  readonly icon: IconName
  readonly parts: readonly Part[]
  readonly isQuiet: boolean
}

const nameOf = ({ type }: Entry): string => type.replace(/^berth\./, '')

const asFirst = (part: Part): Part => {
  if (typeof part === 'string') return capitalized(part)
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
  return [asFirst(first), ...rest]
}

export const sentenceOf = (entry: Entry, reader: Reader): Sentence => {
  const { kind, template } = templateOf(nameOf(entry))
  const { data, actor } = entry
  const [icon, text] = typeof template === 'function' ? template(data, (data.user_id ?? data._id) === actor) : template
  return { kind, icon, parts: partsOf(text, entry, reader), isQuiet: QUIET.has(nameOf(entry)) }
}

export const textOf = ({ parts }: Sentence): string =>
  parts.map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : part.machine)).join('')

export interface Run {
  /** Newest first. */
  readonly entries: readonly Entry[]
  readonly sentence: Sentence
}

/** As many alike are told as one, within so many milliseconds after the oldest of them. */
const RUN_MIN = 4
const RUN_MS = 600_000

type Group = readonly [Entry, ...Entry[]]

const timeOf = ({ time }: Entry): number => Date.parse(time)

/** The rows of entries, the oldest of each first: many that differ only in what they are about are one. */
const groupsOf = (entries: readonly Entry[]): readonly Group[] => {
  const newest = new Map<string, [Entry, ...Entry[]]>()
  const groups: Group[] = []
  // From the oldest on, so that what is recorded later moves none of them.
  for (const entry of entries.toReversed()) {
    const alike = JSON.stringify([entry.type, entry.actor, entry.reason])
    const group = newest.get(alike)
    if (group !== undefined && timeOf(entry) - timeOf(group[0]) < RUN_MS) {
      group.push(entry)
      continue
    }
    const next: [Entry] = [entry]
    newest.set(alike, next)
    groups.push(next)
  }
  return groups.flatMap((group): readonly Group[] => {
    const isRun = group.length >= RUN_MIN && RUNS[nameOf(group[0])] !== undefined
    return isRun ? [group] : group.map((entry) => [entry])
  })
}

export const rowsOf = (entries: readonly Entry[]): number => groupsOf(entries).length

/**
 * Many entries alike are one run, which stands where its newest does; what others did meanwhile is below it. `isCut`
 * tells that there are older entries, some of which may belong to it.
 */
export const runsOf = (entries: readonly Entry[], reader: Reader, isCut = false): readonly Run[] => {
  const runOf = (group: Group): Run => {
    const [oldest, newest = oldest] = [group[0], group.at(-1)]
    const sentence = sentenceOf(oldest, reader)
    if (group.length === 1) return { entries: group, sentence }
    const isOpen = isCut && timeOf(newest) - timeOf(entries.at(-1) ?? oldest) < RUN_MS
    const counted = { ...oldest, data: { ...oldest.data, count: group.length, isOpen } }
    const [from, to] = [oldest, newest].map((entry) => formatSecond(timeOf(entry)))
    const parts = partsOf(`${RUNS[nameOf(oldest)]}${from === to ? '' : `, from ${from} on`}`, counted, reader)
    return { entries: group.toReversed(), sentence: { ...sentence, parts } }
  }
  return groupsOf(entries)
    .map(runOf)
    .toSorted((a, b) => Number(b.entries[0]?.sequence) - Number(a.entries[0]?.sequence))
}

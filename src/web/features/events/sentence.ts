import type { IconName } from '../../parts/icon-name.ts'
import type { Entry } from './entries.ts'
import { HOLES, type Part, type Reader } from './holes.ts'
import { type Kind, templateOf } from './templates.ts'

/** What was recorded, in sentences: about the lab, or about one machine, which is "it". Pure. */
export interface Sentence {
  readonly kind: Kind
  readonly icon: IconName
  readonly parts: readonly Part[]
}

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

export const sentenceOf = (entry: Entry, reader: Reader): Sentence => {
  const type = entry.type.replace(/^berth\./, '')
  const { kind, template } = templateOf(type)
  const { data, actor } = entry
  const [icon, text] = typeof template === 'function' ? template(data, (data.user_id ?? data._id) === actor) : template
  const [first = '', ...rest] = text
    .split(/\{(.*?)\}/)
    .flatMap((piece, n): readonly Part[] => (n % 2 === 0 ? [piece] : fill(piece, entry, reader)))
    .filter((part) => part !== '')
  return { kind, icon, parts: [capitalized(first), ...rest] }
}

export const textOf = ({ parts }: Sentence): string =>
  parts.map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : part.machine)).join('')

import type { VNode } from 'preact'
import { linkTo } from '../page/location.ts'
import { html } from '../parts/html.ts'
import { Icon } from '../parts/icon.ts'
import { numberOf } from '../timeline/times.ts'
import type { Entry } from './entries.ts'
import type { Part, Sentence } from './telling.ts'

const PartView = ({ part }: { readonly part: Part }): VNode => {
  if (typeof part === 'string') return html`<bdi>${part}</bdi>`
  if ('name' in part) return html`<b class="medium"><bdi>${part.name}</bdi></b>`
  return part.id === undefined
    ? html`<bdi>${part.machine}</bdi>`
    : html`<a href=${linkTo('machines', part.id)}><bdi>${part.machine}</bdi></a>`
}

export interface Told {
  readonly entry: Entry
  readonly sentence: Sentence
}

/** What was recorded, as a sentence. */
export const Line = ({ entry, sentence, when }: Told & { readonly when: string }): VNode => html`<div class="ev">
  <time datetime=${entry.time} title=${new Date(entry.time).toLocaleString('en-GB')}>${when}</time>
  <${Icon} name=${sentence.icon} />
  <span>${sentence.parts.map((part, n) => html`<${PartView} key=${n} part=${part} />`)}${entry.reason !== undefined && html` <q><bdi>${entry.reason}</bdi></q>`}</span>
  <span class="seq">${numberOf(Number(entry.sequence))}</span>
</div>`

import type { VNode } from 'preact'
import { html } from '../parts/html.ts'
import type { Words } from './wants.ts'

/** Words, in which each name keeps its direction to itself. */
export const Said = ({ words }: { readonly words: Words }): VNode =>
  html`<span>${words.map((each) => (typeof each === 'string' ? each : html`<bdi>${each.name}</bdi>`))}</span>`

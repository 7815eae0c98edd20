import type { VNode } from 'preact'
import type { Words } from './wants.ts'

/** Words, in which each name keeps its direction to itself. */
export const Said = ({ words }: { readonly words: Words }): VNode => (
  <span>{words.map((each) => (typeof each === 'string' ? each : <bdi>{each.name}</bdi>))}</span>
)

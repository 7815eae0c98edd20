import type { VNode } from 'preact'
import type { Words } from './wants.ts'

export const Said = ({ words }: { readonly words: Words }): VNode => (
  <span>{words.map((each) => (typeof each === 'string' ? each : <bdi>{each.name}</bdi>))}</span>
)

import type { Words } from './wants.ts'

export const Said = ({ words }: { readonly words: Words }) => (
  <span>{words.map((each) => (typeof each === 'string' ? each : <bdi>{each.name}</bdi>))}</span>
)

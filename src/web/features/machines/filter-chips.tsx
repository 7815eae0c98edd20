import { type Sut, TYPES } from '../../data/objects.ts'
import { compareNames } from '../../format/format.ts'
import { type Choice, FilterChip } from '../../parts/choose/menu.tsx'
import type { Filter } from '../view/filter.ts'

const tagChoicesOf = (suts: readonly Sut[]): readonly Choice[] => {
  const pairs = suts.flatMap(({ tags }) => Object.entries(tags))
  return [...Map.groupBy(pairs, (pair) => pair.join('='))]
    .map(([key, [[group, text] = ['', ''], ...others]]) => ({ key, group, text, count: others.length + 1 }))
    .toSorted((a, b) => compareNames(a.group, b.group) || compareNames(a.text, b.text))
}

type Chosen = Pick<Filter, 'types' | 'tags'>

interface Props {
  readonly suts: readonly Sut[]
  readonly chosen: Chosen
  readonly onChange: (chosen: Partial<Chosen>) => void
}

export const MachineChips = ({ suts, chosen: { types, tags }, onChange }: Props) => {
  const tagChoices = tagChoicesOf(suts)
  return (
    <>
      <FilterChip label="Type" options={TYPES} chosen={types} onChange={(next) => onChange({ types: next })} />
      {tagChoices.length > 0 && (
        <FilterChip label="Tags" options={tagChoices} chosen={tags} onChange={(next) => onChange({ tags: next })} />
      )}
    </>
  )
}

import { useMemo, useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import {
  type Choosable,
  type Criteria,
  choosablesOf,
  toggledValue,
  type Value,
} from '../../features/reserve/criteria.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { FieldGroup } from '../../parts/field.tsx'

const CHIPS_MAX = 12

interface FieldProps {
  readonly field: Choosable
  readonly onToggle: (key: string, value: Value) => void
}

const Values = ({ field: { key, label, values }, onToggle }: FieldProps) => {
  const isLong = values.length > CHIPS_MAX
  const shown = isLong ? values.filter(({ isChosen }) => isChosen) : values
  const choices = values.map(({ text, isChosen }, n) => ({ key: String(n), text, isChosen }))
  return (
    <FieldGroup label={label}>
      <div class="chips">
        {shown.map(({ value, text, isChosen }) => (
          <Chip
            key={value ?? ''}
            label={text}
            icon={isChosen ? 'check' : undefined}
            isOn={isChosen}
            onPress={() => onToggle(key, value)}
          />
        ))}
        {isLong && (
          <MenuChip
            label={`${values.length} values`}
            choices={choices}
            isMultiple
            onChoose={(n: string) => onToggle(key, values[Number(n)]?.value ?? null)}
          />
        )}
      </div>
    </FieldGroup>
  )
}

interface Props {
  readonly suts: readonly Sut[]
  readonly criteria: Criteria
  readonly onChange: (criteria: Criteria) => void
}

export const CriteriaFields = ({ suts, criteria, onChange }: Props) => {
  const [isAll, setAll] = useState(false)
  const fields = useMemo(() => choosablesOf(suts, criteria), [suts, criteria])
  const shown = fields.filter(({ isUsual }) => isAll || isUsual)
  const onToggle = (key: string, value: Value): void => onChange(toggledValue(criteria, key, value))
  return (
    <div class="stack criteria">
      {shown.map((field) => (
        <Values key={field.key} field={field} onToggle={onToggle} />
      ))}
      {(isAll || shown.length < fields.length) && (
        <div>
          <Button
            label={isAll ? 'Fewer criteria' : 'More criteria'}
            icon={isAll ? 'minus' : 'plus'}
            look="quiet small"
            aria-expanded={isAll}
            onClick={() => setAll(!isAll)}
          />
        </div>
      )}
    </div>
  )
}

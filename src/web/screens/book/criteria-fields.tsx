import { useMemo, useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { type Criteria, choosablesOf, toggledValue, type Value } from '../../features/reserve/criteria.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { FieldGroup } from '../../parts/field.tsx'

const CHIPS_MAX = 12

interface Props {
  readonly suts: readonly Sut[]
  readonly criteria: Criteria
  readonly onChange: (criteria: Criteria) => void
}

export const CriteriaFields = ({ suts, criteria, onChange }: Props) => {
  const [isAll, setAll] = useState(false)
  const fields = useMemo(() => choosablesOf(suts, criteria), [suts, criteria])
  const shown = fields.filter(({ isUsual }) => isAll || isUsual)
  const toggle = (key: string, value: Value): void => onChange(toggledValue(criteria, key, value))
  return (
    <div class="stack criteria">
      {shown.map(({ key, label, values }) => {
        const isLong = values.length > CHIPS_MAX
        return (
          <FieldGroup key={key} label={label}>
            <div class="chips">
              {values
                .filter(({ isChosen }) => isChosen || !isLong)
                .map(({ value, text, isChosen }) => (
                  <Chip
                    {...{ key: value ?? '', label: text, icon: isChosen ? 'check' : undefined, isOn: isChosen }}
                    onPress={() => toggle(key, value)}
                  />
                ))}
              {isLong && (
                <MenuChip
                  label={`${values.length} values`}
                  choices={values.map(({ text, isChosen }, n) => ({ key: String(n), text, isChosen }))}
                  isMultiple
                  onChoose={(n: string) => toggle(key, values[Number(n)]?.value ?? null)}
                />
              )}
            </div>
          </FieldGroup>
        )
      })}
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

import { Button } from '../../parts/button.tsx'
import { fieldsOf } from '../../parts/commands/fields.tsx'
import { Input, Wrong } from '../../parts/field.tsx'
import { LIMITS, toDefault, typeLimit, type Values, wrongLimits } from './person-values.ts'
import { ROLES } from './user.ts'

interface Props {
  readonly id: string
  readonly values: Values
  readonly base: Values
  readonly errors: ReadonlyMap<string, string>
  readonly onChange: (values: Values) => void
  readonly isFirst?: boolean
}

const QuotaFields = ({ id, values, base, errors, onChange, isFirst = false }: Props) => {
  const wrong = wrongLimits(values)
  const error = errors.get('quota') ?? (wrong.length > 0 ? 'Enter a number, or leave empty for no limit.' : undefined)
  // The default of the service may not be known here.
  const isUnknown = values.isDefault && LIMITS.every(({ field }) => values[field] === '')
  const placeholder = isUnknown ? 'default' : 'none'
  return (
    // Who adds a person rarely gives them another quota than the usual one.
    <details class="quota" open={!isFirst || !values.isDefault || error !== undefined}>
      <summary class="label">Quota</summary>
      <div class="stack">
        {LIMITS.map(({ field, label }) => (
          <div class="row" key={field}>
            <Input
              {...{ class: 'num', id: `${id}-${field}`, inputmode: 'decimal', maxlength: 8, placeholder }}
              aria-invalid={wrong.includes(field)}
              aria-labelledby={`${id}-${field}-label`}
              value={values[field]}
              onInput={(text) => onChange(typeLimit(values, base, field, text))}
            />
            <span class="second" id={`${id}-${field}-label`}>
              {label}
            </span>
          </div>
        ))}
        <Wrong error={error} />
        <div>
          {values.isDefault ? (
            <span class="small muted">Empty fields use the server's default.</span>
          ) : (
            <Button look="quiet small" class="outdent" onClick={() => onChange(toDefault(values, base))}>
              Reset to default
            </Button>
          )}
        </div>
      </div>
    </details>
  )
}

export const PersonFields = (props: Props) => {
  const { id, values, errors, onChange, isFirst = false } = props
  const { text, select } = fieldsOf({ id, values, errors, change: (part) => onChange({ ...values, ...part }) })
  return (
    <>
      {text('name', 'Name', { autofocus: isFirst, maxlength: 128 })}
      {select('role', 'Role', ROLES)}
      {values.role === 'tester' && (
        <>
          <QuotaFields {...props} />
          {text('scope', 'Scope', {
            placeholder: 'All machines',
            hint: 'Tags a machine must have, such as team=qa1,rack=4',
          })}
        </>
      )}
    </>
  )
}

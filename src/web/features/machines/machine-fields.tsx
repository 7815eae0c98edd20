import type { RenderableProps } from 'preact'
import { useState } from 'preact/hooks'
import { type FullSettings, TYPES } from '../../data/objects.ts'
import { formatSeconds } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Segments } from '../../parts/choose/chip.tsx'
import { Select } from '../../parts/choose/select.tsx'
import { fieldsOf } from '../../parts/commands/fields.tsx'
import { Field, FieldGroup, Input, Switch } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { parseTag, type Values, withType } from './machine-values.ts'

interface Props {
  readonly values: Values
  readonly errors: ReadonlyMap<string, string>
  readonly change: (part: Partial<Values>) => void
}

const optionsOf = (
  set: number,
  usual: readonly number[],
  textOf = formatSeconds,
): readonly (readonly [string, string])[] =>
  [...(usual.includes(set) ? [] : [set]), ...usual].map((seconds) => [String(seconds), textOf(seconds)])

const TURNAROUNDS = [0, 900, 1_800, 2_700, 3_600, 7_200, 14_400, 28_800, 86_400]
const UNUSED = [0, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 86_400]

const INTERVALS = [10, 30, 60, 300, 900, 3_600, 86_400]

export const MachineFields = (props: RenderableProps<Props & { readonly settings: FullSettings | undefined }>) => {
  const { values, change, settings, children } = props
  const form = fieldsOf({ id: 'machine', ...props })
  const text = (name: keyof Values, label: string, className: string, more: object = {}) =>
    form.text(name, label, { className, ...more })
  const choice = (name: 'turnaround' | 'release_unused_after', label: string, usual: readonly number[], none: string) =>
    form.select(
      name,
      label,
      optionsOf(values[name], usual, (seconds) => (seconds === 0 ? none : formatSeconds(seconds))),
      { className: 's2', onChange: (seconds) => change({ [name]: Number(seconds) }) },
    )
  /** What nobody can read. It is unchanged unless something is typed, or it is removed. */
  const secret = (name: 'user_name' | 'password', label: string, isKept = false, more: object = {}) => {
    const isRemoved = values[name] === '' && isKept
    const placeholder = isRemoved ? 'Will be removed' : isKept ? 'Unchanged' : 'None'
    const set = (typed: string | undefined): void => change({ [name]: typed })
    return (
      <div class="s3">
        {form.text(name, label, {
          ...{ placeholder, maxlength: 4_096, onInput: (typed) => set(typed === '' ? undefined : typed), ...more },
        })}
        {isKept && (
          <Button look="quiet small" class="under" onClick={() => set(isRemoved ? undefined : '')}>
            {isRemoved ? 'Keep it' : `Remove the ${label.toLowerCase()}`}
          </Button>
        )}
      </div>
    )
  }
  const number = { inputmode: 'numeric', maxlength: 5 }
  const long = { maxlength: 4_096 }
  return [
    text('name', 'Name', 's4 f6', { maxlength: 512, autofocus: true }),
    <FieldGroup label="Type" className="s2 f6">
      <Segments
        class="start"
        label="Type"
        options={TYPES}
        value={values.sut_type}
        onChange={(type) => change(withType(values, type))}
      />
    </FieldGroup>,
    text('address', 'Address', 's4', { maxlength: 255, placeholder: 'Host name or IP address' }),
    text('port', 'Port', 's2', number),
    <div class="check-place">{children}</div>,
    secret('user_name', 'User name', settings?.has_user_name),
    secret('password', 'Password', settings?.has_password, { type: 'password', autocomplete: 'new-password' }),
    values.sut_type === 'rdp' && text('rdp_width', 'Desktop width', 's3', number),
    values.sut_type === 'rdp' && text('rdp_height', 'Desktop height', 's3', number),
    text('os', 'System', 's2', long),
    text('manufacturer', 'Manufacturer', 's2', long),
    text('model', 'Model', 's2', long),
    text('version', 'Version', 's2', long),
    choice('turnaround', 'Turnaround', TURNAROUNDS, 'None'),
    choice('release_unused_after', 'Release if unused', UNUSED, 'Never'),
    text('description', 'Description', '', { ...long, rows: 2 }),
    <TagsField {...props} />,
    <Switch
      className="s3 f6"
      label="Can be reserved"
      isOn={values.is_active}
      onChange={(is_active) => change({ is_active })}
    />,
    <Probing {...props} />,
  ]
}

const Probing = ({ values, change }: Props) => {
  const { isMonitored, interval } = values
  return (
    <div class="row s3 f6">
      <Switch label="Monitor every" isOn={isMonitored} onChange={(isOn: boolean) => change({ isMonitored: isOn })} />
      <span class="interval">
        <Select
          id="machine-interval"
          label="Monitor every"
          value={String(interval)}
          options={optionsOf(interval, INTERVALS)}
          isDisabled={!isMonitored}
          onChange={(seconds: string) => change({ interval: Number(seconds) })}
        />
      </span>
    </div>
  )
}

const TagsField = ({ values: { tags }, errors, change }: Props) => {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const add = (): boolean => {
    if (text.trim() === '') return true
    const tag = parseTag(text)
    setWrong(tag === undefined)
    if (tag === undefined) return false
    setText('')
    change({ tags: { ...tags, [tag[0]]: tag[1] } })
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const isDone = event.key === 'Enter' || event.key === ','
    if (!isDone || text.trim() === '') return
    event.preventDefault()
    add()
  }
  const remove = (name: string): void => {
    const { [name]: _, ...left } = tags
    change({ tags: left })
    document.getElementById('machine-tag')?.focus()
  }
  const shown =
    errors.get('tags') ??
    (isWrong ? 'Write a tag as name=value. Names have letters, digits, dots, dashes and underscores.' : undefined)
  return (
    <Field id="machine-tag" label="Tags" error={shown}>
      <div class="chips tags-in">
        {Object.entries(tags).map(([name, value]) => (
          <span key={name} class="tag of-form">
            <bdi class="clip">
              {name}={value}
            </bdi>
            <button type="button" class="fold" aria-label={`Remove ${name}=${value}`} onClick={() => remove(name)}>
              <Icon name="x" />
            </button>
          </span>
        ))}
        <Input
          {...{ id: 'machine-tag', value: text, placeholder: 'name=value', maxlength: 330 }}
          aria-invalid={isWrong}
          onInput={setText}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
      </div>
    </Field>
  )
}

import type { ComponentChildren } from 'preact'
import { type FullSettings, TYPES } from '../../data/objects.ts'
import { formatSeconds } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Segments } from '../../parts/choose/segments.tsx'
import { Select, SelectField } from '../../parts/choose/select.tsx'
import { Switch, TextField } from '../../parts/field.tsx'
import { type Values, withType } from './machine-values.ts'
import { TagsField } from './tags-field.tsx'

interface Props {
  readonly values: Values
  readonly errors: ReadonlyMap<string, string>
  readonly change: (part: Partial<Values>) => void
}

type TextName = {
  [Name in keyof Values]: Values[Name] extends string | undefined ? Name : never
}[keyof Values]

const TypeField = ({ values, change }: Props) => (
  <div class="field s2 f6">
    <span class="label">Type</span>
    <Segments
      class="start"
      label="Type"
      options={TYPES}
      value={values.sut_type}
      onChange={(type) => change(withType(values, type))}
    />
  </div>
)

interface SecretProps extends Props {
  readonly name: 'user_name' | 'password'
  readonly label: string
  readonly isKept: boolean
}

/** What nobody can read. It is unchanged unless something is typed, or it is removed. */
const SecretField = ({ values, errors, change, name, label, isKept }: SecretProps) => {
  const value = values[name]
  const isRemoved = value === '' && isKept
  const placeholder = isRemoved ? 'Will be removed' : isKept ? 'Unchanged' : 'None'
  const set = (text: string | undefined): void => change({ [name]: text })
  return (
    <div class="s3">
      <TextField
        id={`machine-${name}`}
        label={label}
        type={name === 'password' ? 'password' : 'text'}
        maxLength={4_096}
        autocomplete={name === 'password' ? 'new-password' : 'off'}
        placeholder={placeholder}
        error={errors.get(name)}
        value={value ?? ''}
        onInput={(text: string) => set(text === '' ? undefined : text)}
      />
      {isKept && (
        <Button look="quiet small" class="under" onClick={() => set(isRemoved ? undefined : '')}>
          {isRemoved ? 'Keep it' : `Remove the ${label.toLowerCase()}`}
        </Button>
      )}
    </div>
  )
}

const optionsOf = (
  set: number,
  usual: readonly number[],
  textOf = formatSeconds,
): readonly (readonly [string, string])[] =>
  [...(usual.includes(set) ? [] : [set]), ...usual].map((seconds) => [String(seconds), textOf(seconds)])

const TURNAROUNDS = [0, 900, 1_800, 2_700, 3_600, 7_200, 14_400, 28_800, 86_400]
const UNUSED = [0, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 86_400]

interface ChoiceProps extends Props {
  readonly name: 'turnaround' | 'release_unused_after'
  readonly label: string
  readonly usual: readonly number[]
  /** The text of 0 seconds. */
  readonly none: string
}

const ChoiceField = ({ values, errors, change, name, label, usual, none }: ChoiceProps) => {
  const options = optionsOf(values[name], usual, (seconds) => (seconds === 0 ? none : formatSeconds(seconds)))
  return (
    <SelectField
      id={`machine-${name}`}
      label={label}
      className="s2"
      value={String(values[name])}
      options={options}
      error={errors.get(name)}
      onChange={(seconds: string) => change({ [name]: Number(seconds) })}
    />
  )
}

interface FieldsProps extends Props {
  readonly settings: FullSettings | undefined
  readonly children: ComponentChildren
}

export const MachineFields = (props: FieldsProps) => {
  const { values, errors, change, settings, children } = props
  const text = (name: TextName, label: string, className: string, more: object = {}) => (
    <TextField
      key={name}
      id={`machine-${name}`}
      label={label}
      className={className}
      value={values[name] ?? ''}
      error={errors.get(name)}
      onInput={(value: string) => change({ [name]: value })}
      {...more}
    />
  )
  const secret = (name: SecretProps['name'], label: string, isKept: boolean) => (
    <SecretField {...props} name={name} label={label} isKept={isKept} />
  )
  const number = { inputMode: 'numeric', maxLength: 5 }
  const long = { maxLength: 4_096 }
  return [
    text('name', 'Name', 's4 f6', { maxLength: 512, isFirst: true }),
    <TypeField {...props} />,
    text('address', 'Address', 's4', { maxLength: 255, placeholder: 'Host name or IP address' }),
    text('port', 'Port', 's2', number),
    <div class="check-place">{children}</div>,
    secret('user_name', 'User name', settings?.has_user_name === true),
    secret('password', 'Password', settings?.has_password === true),
    values.sut_type === 'rdp' && text('rdp_width', 'Desktop width', 's3', number),
    values.sut_type === 'rdp' && text('rdp_height', 'Desktop height', 's3', number),
    text('os', 'System', 's2', long),
    text('manufacturer', 'Manufacturer', 's2', long),
    text('model', 'Model', 's2', long),
    text('version', 'Version', 's2', long),
    <ChoiceField {...props} name="turnaround" label="Turnaround" usual={TURNAROUNDS} none="None" />,
    <ChoiceField {...props} name="release_unused_after" label="Release if unused" usual={UNUSED} none="Never" />,
    text('description', 'Description', '', { ...long, rows: 2 }),
  ]
}

export const TagsAndState = ({ values, errors, change }: Props) => [
  <TagsField tags={values.tags} error={errors.get('tags')} onChange={(tags: Values['tags']) => change({ tags })} />,
  <Switch
    className="s3 f6"
    label="Can be reserved"
    isOn={values.is_active}
    onChange={(is_active: boolean) => change({ is_active })}
  />,
]

const INTERVALS = [10, 30, 60, 300, 900, 3_600, 86_400]

export const Probing = ({ values, change }: Props) => {
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

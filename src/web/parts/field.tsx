import type { InputHTMLAttributes, RenderableProps } from 'preact'
import type { Refused } from '../service/api.ts'

export interface FieldProps {
  readonly id: string
  readonly label: string
  /** Of the grid of a form: `s2`, `s3`, `s4` of six columns, and `f6` for all of them on phones. */
  readonly className?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

export const Wrong = ({ id, error }: { readonly id?: string; readonly error: string | undefined }) =>
  error !== undefined && (
    <span class="small danger" id={id} role="alert">
      {error}
    </span>
  )

export const Field = ({ id, label, className = '', hint, error, children }: RenderableProps<FieldProps>) => (
  <div class={`field ${className}`}>
    <label for={id}>{label}</label>
    {children}
    <Wrong id={`${id}-error`} error={error} />
    {hint !== undefined && (
      <span class="small muted" id={`${id}-hint`}>
        {hint}
      </span>
    )}
  </div>
)

interface GroupProps extends Omit<FieldProps, 'id' | 'hint'> {
  readonly role?: 'group' | 'radiogroup'
}

/** Several things that are chosen under one label. */
export const FieldGroup = ({ label, className = '', role = 'group', error, children }: RenderableProps<GroupProps>) => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support it.
  <div class={`field ${className}`} role={role} aria-label={label}>
    <span class="label clip" aria-hidden="true">
      <bdi>{label}</bdi>
    </span>
    {children}
    <Wrong error={error} />
  </div>
)

export const described = ({ id, hint, error }: FieldProps) => ({
  'aria-invalid': error !== undefined,
  'aria-describedby':
    [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`].join(' ').trim() || undefined,
})

type Attributes = InputHTMLAttributes<HTMLInputElement>

interface InputProps extends Omit<Attributes, 'label' | 'onInput'> {
  /** Where nothing else names it. */
  readonly label?: string
  readonly onInput?: (value: string) => void
}

/** A field alone. */
export const Input = ({ label, class: look = '', onInput, ...rest }: InputProps) => (
  <input
    autocomplete="off"
    aria-label={label}
    {...(onInput && { onInput: ({ currentTarget }) => onInput(currentTarget.value) })}
    {...(rest as object)}
    class={`input ${look}`}
  />
)

export interface TextProps extends FieldProps, Omit<InputProps, keyof FieldProps | 'value' | 'onInput' | 'rows'> {
  readonly value: string
  readonly onInput: (value: string) => void
  /** Lines; one by default. */
  readonly rows?: number
}

export const TextField = ({ label, className, hint, error, rows, onInput, ...rest }: TextProps) => {
  const field = { id: rest.id, label, className, hint, error }
  const shared = { ...rest, ...described(field) }
  return (
    <Field {...field}>
      {rows === undefined ? (
        <Input {...shared} onInput={onInput} />
      ) : (
        <textarea
          rows={rows}
          {...(shared as object)}
          class="input"
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly className?: string
  readonly isDisabled?: boolean
}

export const Switch = ({ label, isOn, onChange, className = '', isDisabled = false }: SwitchProps) => (
  <label class={`switch ${className}`}>
    <input
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked.
      role="switch"
      checked={isOn}
      disabled={isDisabled}
      onChange={({ target }: Event) => onChange((target as HTMLInputElement).checked)}
    />
    {label}
  </label>
)

export const errorsByField = (refused: Refused | undefined): ReadonlyMap<string, string> =>
  new Map(
    (refused?.problem.errors ?? []).flatMap((error) => {
      const [, name] = /^#\/([^/]+)/.exec('pointer' in error ? error.pointer : '') ?? []
      return name === undefined ? [] : [[name, `It ${error.detail}.`] as const]
    }),
  )

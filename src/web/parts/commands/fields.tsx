import { useState } from 'preact/hooks'
import { SelectField, type SelectProps } from '../choose/select.tsx'
import { TextField, type TextProps } from '../field.tsx'

type TextMore = Partial<Omit<TextProps, 'id' | 'label' | 'value'>>
type SelectMore = Partial<Omit<SelectProps<string>, 'id' | 'label' | 'value' | 'options'>>

interface Form<V> {
  /** Begins the ids of the fields. */
  readonly id: string
  readonly values: V
  /** What is wrong, by the names of the interface, which the fields have too. */
  readonly errors: ReadonlyMap<string, string>
  readonly change: (part: Partial<V>) => void
}

/** The fields of a form: each knows by its name what its value is, and what is wrong with it. */
export const fieldsOf = <V extends object>({ id, values, errors, change }: Form<V>) => {
  const shared = (name: keyof V & string, label: string) => ({
    ...{ key: name, id: `${id}-${name}`, label, error: errors.get(name), value: String(values[name] ?? '') },
  })
  const set = (name: keyof V & string, value: unknown): void => change({ [name]: value } as Partial<V>)
  return {
    text: (name: keyof V & string, label: string, more: TextMore = {}) => (
      <TextField {...shared(name, label)} onInput={(value) => set(name, value)} {...more} />
    ),
    select: (name: keyof V & string, label: string, options: SelectProps<string>['options'], more: SelectMore = {}) => (
      <SelectField {...shared(name, label)} options={options} onChange={(value) => set(name, value)} {...more} />
    ),
  }
}

/** The same for a form that keeps its values itself. */
export const useFields = <V extends object>(id: string, first: V, errors: Form<V>['errors']) => {
  const [values, setValues] = useState(first)
  const change = (part: Partial<V>): void => setValues((before) => ({ ...before, ...part }))
  return { values, change, ...fieldsOf({ id, values, errors, change }) }
}

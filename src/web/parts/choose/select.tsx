import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fold } from '../../format/format.ts'
import { described, Field, type FieldProps } from '../field.tsx'
import { placeBeside } from '../floating.ts'
import { Icon } from '../icon.tsx'
import { Status } from '../show/note.tsx'
import { useOptions } from './use-options.ts'

export interface SelectProps<K extends string> extends FieldProps {
  readonly value: K
  /** The value and the text of each. */
  readonly options: readonly (readonly [K, string])[]
  readonly onChange: (value: K) => void
  readonly isDisabled?: boolean
}

const sharedOf = <K extends string>(props: SelectProps<K>) => ({
  ...{ id: props.id, class: 'input', 'aria-label': props.label, disabled: props.isDisabled === true },
  ...described(props),
})

/** Options that are shown as a list of the browser, and at a time where one types to find them. */
const FEW = 20
const MOST = 100

/** One of many, which is found by typing a part of its text. */
const Combobox = <K extends string>(props: SelectProps<K>) => {
  const { id, label, value, options, onChange } = props
  /** Undefined while the list is closed. */
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const isOpen = typed !== undefined
  const matching = options.filter(([, text]) => isOpen && fold(text).includes(fold(typed.trim())))
  const shown = matching.slice(0, MOST)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (list.current === null || input.current === null) return undefined
    list.current.showPopover()
    return placeBeside(list.current, input.current, 4)
  }, [isOpen])
  const close = (): void => setTyped(undefined)
  const take = (n: number): void => {
    const [key] = shown[n] ?? []
    if (key !== undefined) onChange(key)
    close()
  }
  const { reset, field, option } = useOptions({ id: `${id}-list`, count: shown.length, take, close })
  const open = (text: string): void => {
    setTyped(text)
    reset()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isOpen) field.onKeyDown(event)
    else if (event.key === 'ArrowDown') {
      event.preventDefault()
      open('')
    }
  }
  const chosen = options.find(([key]) => key === value)?.[1] ?? ''
  return (
    <>
      <input
        {...field}
        {...sharedOf(props)}
        ref={input}
        placeholder={chosen}
        value={typed ?? chosen}
        onKeyDown={onKeyDown}
        onClick={() => open('')}
        onInput={({ currentTarget }) => open(currentTarget.value)}
        onBlur={close}
      />
      {isOpen && (
        <div class="pop menu" ref={list} popover="manual" onMouseDown={(event: Event) => event.preventDefault()}>
          {shown.length > 0 ? (
            <div id={`${id}-list`} role="listbox" aria-label={label}>
              {shown.map(([key, text], n) => (
                <div key={key} {...option(n)}>
                  <bdi class="grow clip">{text}</bdi>
                  {key === value && <Icon name="check" />}
                </div>
              ))}
            </div>
          ) : (
            <Status class="muted">No matches</Status>
          )}
        </div>
      )}
    </>
  )
}

export const Select = <K extends string>(props: SelectProps<K>) => (
  <span class="select">
    {props.options.length > FEW ? (
      <Combobox {...props} />
    ) : (
      <select
        {...sharedOf(props)}
        value={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value as K)}
      >
        {props.options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    )}
    <Icon name="down" />
  </span>
)

export const SelectField = <K extends string>(props: SelectProps<K>) => (
  <Field {...props}>
    <Select {...props} />
  </Field>
)

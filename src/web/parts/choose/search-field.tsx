import type { InputHTMLAttributes, Ref } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'class' | 'label' | 'onInput' | 'ref'> {
  readonly label: string
  readonly onInput: (value: string) => void
  /** A key that leads to it from what else has the focus on its screen. */
  readonly shortcut?: string
  readonly class?: string
  readonly ref?: Ref<HTMLInputElement>
}

const useShortcut = (key: string | undefined) => {
  const field = useRef<HTMLLabelElement>(null)
  useEffect(() => {
    const screen = field.current?.closest('main')
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== key || (event.target as Element).closest('dialog, input, textarea, select')) return
      event.preventDefault()
      field.current?.querySelector('input')?.focus()
    }
    screen?.addEventListener('keydown', onKeyDown)
    return () => screen?.removeEventListener('keydown', onKeyDown)
  }, [key])
  return field
}

export const SearchField = ({ label, placeholder = label, shortcut, class: place = '', onInput, ...rest }: Props) => (
  <label class={`input-icon ${place}`} ref={useShortcut(shortcut)}>
    <span class="vh">{label}</span>
    <Icon name="search" />
    <input
      class="input"
      placeholder={placeholder}
      maxlength={256}
      autocomplete="off"
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      {...(rest as object)}
    />
    {shortcut && <kbd class="desk-only">{shortcut}</kbd>}
  </label>
)

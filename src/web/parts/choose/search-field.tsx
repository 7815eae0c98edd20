import type { InputHTMLAttributes, Ref } from 'preact'
import { Icon } from '../icon.tsx'

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'class' | 'label' | 'onInput' | 'ref'> {
  readonly label: string
  readonly onInput: (value: string) => void
  readonly shortcut?: string
  readonly class?: string
  readonly ref?: Ref<HTMLInputElement>
}

export const SearchField = ({ label, placeholder = label, shortcut, class: place = '', onInput, ...rest }: Props) => (
  <label class={`input-icon ${place}`}>
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

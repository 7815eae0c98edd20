/** What is chosen at a press: chips, radio buttons, and one of few side by side. */

import type { ButtonHTMLAttributes, ComponentChildren, Ref } from 'preact'
import { formatNumber } from '../../format/format.ts'
import { Icon, type IconName } from '../icon.tsx'

interface ChipProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'label' | 'class' | 'icon' | 'ref'> {
  readonly label: string
  readonly icon?: IconName | undefined
  /** Whether it is chosen; without it pressing does something. */
  readonly isOn?: boolean
  readonly count?: number
  /** A second line. */
  readonly detail?: string
  readonly class?: string
  readonly ref?: Ref<HTMLButtonElement>
  readonly onPress: () => unknown
}

export const Chip = ({ label, icon, isOn, count, detail, class: place = '', onPress, ...rest }: ChipProps) => (
  <button type="button" class={`chip ${place}`} aria-pressed={isOn} onClick={onPress} {...(rest as object)}>
    {icon && <Icon name={icon} />}
    <bdi class="clip">{label}</bdi>
    {count !== undefined && <span class="n num">{formatNumber(count)}</span>}
    {detail && <small>{detail}</small>}
  </button>
)

interface RadioProps {
  /** That of all of which one is chosen. */
  readonly name: string
  readonly isChosen: boolean
  /** How its label looks: `chip`, `choice`. */
  readonly class: string
  readonly onChoose: () => void
  readonly children: ComponentChildren
}

export const Radio = ({ name, isChosen, class: look, onChoose, children }: RadioProps) => (
  <label class={`radio ${look}`}>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    {children}
  </label>
)

interface Props<K extends string> {
  readonly label: string
  readonly options: Readonly<Record<K, string>>
  readonly value: K
  readonly onChange: (value: K) => void
  readonly class?: string
}

export const Segments = <K extends string>({ label, options, value, onChange, class: place = '' }: Props<K>) => (
  <div class={`seg ${place}`} role="group" aria-label={label}>
    {(Object.entries(options) as [K, string][]).map(([key, text]) => (
      <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
        {text}
      </button>
    ))}
  </div>
)

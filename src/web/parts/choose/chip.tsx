import type { ButtonHTMLAttributes, Ref } from 'preact'
import { formatNumber } from '../../format/format.ts'
import { Icon, type IconName } from '../icon.tsx'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'label' | 'class' | 'icon' | 'ref'> {
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

export const Chip = ({ label, icon, isOn, count, detail, class: place = '', onPress, ...rest }: Props) => (
  <button type="button" class={`chip ${place}`} aria-pressed={isOn} onClick={onPress} {...(rest as object)}>
    {icon && <Icon name={icon} />}
    <bdi class="clip">{label}</bdi>
    {count !== undefined && <span class="n num">{formatNumber(count)}</span>}
    {detail && <small>{detail}</small>}
  </button>
)

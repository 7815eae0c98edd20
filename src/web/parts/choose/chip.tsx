import { formatNumber } from '../../format/format.ts'
import { Icon, type IconName } from '../icon.tsx'

interface Props {
  readonly label: string
  readonly icon?: IconName | undefined
  /** Whether it is chosen; without it pressing does something. */
  readonly isOn?: boolean
  readonly count?: number
  readonly isDisabled?: boolean
  readonly class?: string
  readonly onPress: () => void
}

export const Chip = ({ label, icon, isOn, count, isDisabled = false, class: place = '', onPress }: Props) => (
  <button type="button" class={`chip ${place}`} aria-pressed={isOn} disabled={isDisabled} onClick={onPress}>
    {icon && <Icon name={icon} />}
    <bdi class="clip">{label}</bdi>
    {count !== undefined && <span class="n num">{formatNumber(count)}</span>}
  </button>
)

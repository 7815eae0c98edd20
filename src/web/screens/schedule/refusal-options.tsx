import type { VNode } from 'preact'
import { usePage } from '../../page/context.ts'
import { rove } from '../../parts/choose/rove.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'

export interface Option {
  readonly icon: IconName
  readonly text: string
  readonly hint: string
  readonly take: () => void
}

export const Options = ({
  options,
  onBack,
}: {
  readonly options: readonly Option[]
  readonly onBack: () => void
}): VNode => {
  const isAnswered = usePage().control.isAnswered.value
  return (
    <div class="choices" onKeyDown={(event: KeyboardEvent) => void rove(event, '.choice')}>
      {options.length > 0 && <span class="label">Reserve instead</span>}
      {options.map(({ icon, text, hint, take }, n) => (
        <button type="button" class={n === 0 ? 'row choice first' : 'row choice'} disabled={!isAnswered} onClick={take}>
          <Icon name={icon} />
          <b class="clip">
            <bdi>{text}</bdi>
          </b>{' '}
          <span class="muted nowrap">{hint}</span>
        </button>
      ))}
      <button type="button" class="row choice" onClick={onBack}>
        <Icon name="edit" />
        <b>Choose another time</b>
      </button>
    </div>
  )
}

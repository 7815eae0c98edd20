import type { VNode } from 'preact'
import { HoursMeter } from '../../features/people/hours.tsx'
import { useUsed } from '../../features/people/use-used.ts'
import { hoursTextOf, type Used } from '../../features/people/user.ts'
import { formatCount, formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { MINUTES_MAX, MINUTES_MIN, mayNotify } from '../../page/warning.ts'
import { Switch } from '../../parts/field.tsx'

const Week = ({ used }: { readonly used: Used }): VNode => {
  const count = used.quota?.reservations_max ?? null
  const text =
    count === null
      ? formatCount(used.reservations, 'open reservation')
      : `${formatNumber(used.reservations)} of ${formatCount(count, 'open reservation')}`
  return (
    <div class="stack">
      <div class="row">
        <h2 class="grow">This week</h2>
        <span class="num second">{hoursTextOf(used)}</span>
      </div>
      <HoursMeter used={used} />
      <p class="small muted">{text}. Resets Monday, 00:00 UTC.</p>
    </div>
  )
}

export const Quota = (): VNode | undefined => {
  const { value } = useUsed()
  return value?.used && <Week used={value.used} />
}

export const BeforeTheEnd = (): VNode => {
  const { warning } = usePage()
  const { isOn, minutes, isNotified } = warning.value
  const isPossible = mayNotify()
  const onMinutes = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    const typed = Math.round(currentTarget.valueAsNumber)
    if (typed >= MINUTES_MIN && typed <= MINUTES_MAX) warning.value = { ...warning.value, minutes: typed }
    else currentTarget.valueAsNumber = minutes
  }
  const onNotified = async ({ currentTarget }: { currentTarget: HTMLInputElement }): Promise<void> => {
    const asked = currentTarget.checked && (await Notification.requestPermission()) === 'granted'
    currentTarget.checked = asked
    warning.value = { ...warning.value, isNotified: asked }
  }
  return (
    <div class="stack">
      <h2>Before the end</h2>
      <div class="row wrap">
        <Switch
          className="nowrap"
          label="Warn me"
          isOn={isOn}
          onChange={() => {
            warning.value = { ...warning.value, isOn: !isOn }
          }}
        />
        <input
          class="input minutes"
          type="number"
          inputmode="numeric"
          min={MINUTES_MIN}
          max={MINUTES_MAX}
          aria-label="Minutes before the end"
          value={minutes}
          disabled={!isOn}
          onChange={onMinutes}
        />{' '}
        <span>minutes before</span>
      </div>
      <label class="switch">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked.
          role="switch"
          checked={isNotified && isPossible}
          disabled={!isOn || !isPossible}
          onChange={onNotified}
        />
        Desktop notification
      </label>
      {!isPossible && <p class="small muted">Needs HTTPS.</p>}
    </div>
  )
}

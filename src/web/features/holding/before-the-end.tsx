import { usePage } from '../../page/context.ts'
import { MINUTES_MAX, MINUTES_MIN, mayNotify } from '../../page/warning.ts'
import { Switch } from '../../parts/field.tsx'
import { useTyped } from '../../parts/use-typed.ts'

export const BeforeTheEnd = () => {
  const { warning } = usePage()
  const { isOn, minutes, isNotified } = warning.value
  const isPossible = mayNotify()
  const { field } = useTyped(String(minutes), (text) => {
    const typed = Math.round(Number(text))
    if (typed >= MINUTES_MIN && typed <= MINUTES_MAX) warning.value = { ...warning.value, minutes: typed }
    return true
  })
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
          {...field}
          class="input minutes"
          type="number"
          inputmode="numeric"
          min={MINUTES_MIN}
          max={MINUTES_MAX}
          aria-label="Minutes before the end"
          disabled={!isOn}
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

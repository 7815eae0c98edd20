import { usePage } from '../../page/context.ts'
import { MINUTES_MAX, MINUTES_MIN, mayNotify, type Warning } from '../../page/warning.ts'
import { Input, Switch } from '../../parts/field.tsx'
import { useTyped } from '../../parts/use-typed.ts'

export const BeforeTheEnd = () => {
  const { warning } = usePage()
  const { isOn, minutes, isNotified } = warning.value
  const isPossible = mayNotify()
  const set = (change: Partial<Warning>): void => {
    warning.value = { ...warning.value, ...change }
  }
  const { field } = useTyped(String(minutes), (text) => {
    const typed = Math.round(Number(text))
    if (typed >= MINUTES_MIN && typed <= MINUTES_MAX) set({ minutes: typed })
    return true
  })
  const notifyIf = async (isWanted: boolean): Promise<void> => {
    set({ isNotified: isWanted && (await Notification.requestPermission()) === 'granted' })
  }
  return (
    <div class="stack">
      <h2>Before the end</h2>
      <div class="row wrap">
        <Switch className="nowrap" label="Warn me" isOn={isOn} onChange={() => set({ isOn: !isOn })} />
        <Input
          {...{ ...field, class: 'minutes', type: 'number', inputmode: 'numeric', label: 'Minutes before the end' }}
          {...{ min: MINUTES_MIN, max: MINUTES_MAX, disabled: !isOn }}
        />{' '}
        <span>minutes before</span>
      </div>
      <Switch
        label="Desktop notification"
        isOn={isNotified && isPossible}
        isDisabled={!isOn || !isPossible}
        onChange={notifyIf}
      />
      {!isPossible && <p class="small muted">Needs HTTPS.</p>}
    </div>
  )
}

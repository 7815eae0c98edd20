import type { VNode } from 'preact'
import { usePage } from '../../page/context.ts'
import { useReading } from '../../page/reading.ts'
import { MINUTES_MAX, MINUTES_MIN, mayNotify } from '../../page/warning.ts'
import { html } from '../../parts/html.ts'
import { useStore } from '../../parts/store.ts'
import { numberOf } from '../../timeline/times.ts'

interface Used {
  readonly hours: number
  readonly reservations: number
  readonly quota: { readonly hours_per_week: number | null; readonly reservations_max: number | null } | null
}

/** Hundredths from which a quota is nearly used up. */
const NEAR = 90

const Week = ({ used: { hours, reservations, quota } }: { readonly used: Used }): VNode => {
  const [most, count] = [quota?.hours_per_week ?? null, quota?.reservations_max ?? null]
  const share = most === null || most === 0 ? 100 : Math.min(100, Math.round((hours / most) * 100))
  const text = count === null ? `${reservations} not over` : `${reservations} of ${count} reservations`
  return html`<div class="stack">
    <div class="row"><h2 class="grow">This week</h2><span class="num second">${most === null ? `${numberOf(hours)} h` : `${numberOf(hours)} of ${numberOf(most)} h`}</span></div>
    ${most !== null && html`<div class=${share >= NEAR ? 'meter near' : 'meter'}><i style=${{ width: `${share}%` }}></i></div>`}
    <p class="small muted">${text}. The week ends on Sunday, UTC.</p>
  </div>`
}

/** How the quota is used. */
export const Quota = (): VNode | undefined => {
  const { api } = usePage()
  const { value } = useReading('used', async () => (await api.get<{ used?: Used }>('/api/user/me?include=used')).value)
  return value?.used && html`<${Week} used=${value.used} />`
}

/** When and how one is warned before a reservation ends. */
export const BeforeTheEnd = (): VNode => {
  const { warning } = usePage()
  const { isOn, minutes, isNotified } = useStore(warning)
  const isPossible = mayNotify()
  const onMinutes = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    const typed = Math.round(currentTarget.valueAsNumber)
    if (typed >= MINUTES_MIN && typed <= MINUTES_MAX) warning.update((before) => ({ ...before, minutes: typed }))
    else currentTarget.valueAsNumber = warning.get().minutes
  }
  const onNotified = async ({ currentTarget }: { currentTarget: HTMLInputElement }): Promise<void> => {
    const asked = currentTarget.checked && (await Notification.requestPermission()) === 'granted'
    currentTarget.checked = asked
    warning.update((before) => ({ ...before, isNotified: asked }))
  }
  return html`<div class="stack">
    <h2>Before the end</h2>
    <div class="row wrap"><label class="switch"><input type="checkbox" role="switch" checked=${isOn} onChange=${() => warning.update((before) => ({ ...before, isOn: !before.isOn }))} /><span class="nowrap">Warn me</span></label>
      <input class="input minutes" type="number" inputmode="numeric" min=${MINUTES_MIN} max=${MINUTES_MAX} aria-label="Minutes before the end" value=${minutes} disabled=${!isOn} onChange=${onMinutes} /> <span>minutes before</span></div>
    <label class="switch"><input type="checkbox" role="switch" checked=${isNotified && isPossible} disabled=${!isOn || !isPossible} onChange=${onNotified} />Desktop notification</label>
    ${!isPossible && html`<p class="small muted">Needs HTTPS.</p>`}
  </div>`
}

import type { VNode } from 'preact'
import type { Used } from './user.ts'

/** Hundredths from which a quota is nearly used up. */
const NEAR = 90

export const HoursMeter = ({ used: { hours, quota } }: { readonly used: Used }): VNode | undefined => {
  const most = quota?.hours_per_week ?? null
  if (most === null) return undefined
  const share = most === 0 ? 100 : Math.min(100, Math.round((hours / most) * 100))
  return (
    <span class={share >= NEAR ? 'meter near' : 'meter'}>
      <i style={{ width: `${share}%` }} />
    </span>
  )
}

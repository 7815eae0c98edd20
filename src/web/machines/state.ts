import { shortCauseOf } from '../events/causes.ts'
import type { Sut } from '../live/objects.ts'
import type { IconName } from '../parts/icon-name.ts'
import type { Booked } from '../timeline/calendar.ts'

/** What a machine is at a time. Pure. */
export interface MachineState {
  readonly kind: 'free' | 'own' | 'used' | 'off' | 'inactive'
  readonly icon: IconName
  readonly text: string
  /** Who has it, whatever else it is. */
  readonly running: Booked | undefined
  readonly next: Booked | undefined
}

const ICONS = { free: 's-free', own: 's-own', used: 's-used', off: 's-off', inactive: 's-inactive' } as const

const kindOf = (sut: Sut, running: Booked | undefined, ownId: string): MachineState['kind'] => {
  if (!sut.is_active) return 'inactive'
  if (sut.monitoring.status === 'Offline') return 'off'
  if (running === undefined) return 'free'
  return running.userId === ownId ? 'own' : 'used'
}

const TEXTS = { free: 'Free', own: 'Yours', used: 'In use', off: 'Offline', inactive: 'Inactive' } as const

/** `booked` is sorted by start. */
export const stateOf = (sut: Sut, booked: readonly Booked[], now: number, ownId: string): MachineState => {
  const running = booked.find(({ from, to }) => from <= now && now < to)
  const kind = kindOf(sut, running, ownId)
  const cause = kind === 'off' ? shortCauseOf(sut.monitoring) : undefined
  const text = cause === undefined ? TEXTS[kind] : `${TEXTS[kind]}, ${cause}`
  return { kind, icon: ICONS[kind], text, running, next: booked.find(({ from }) => from > now) }
}

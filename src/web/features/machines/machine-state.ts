import { type Sut, turnaroundOf } from '../../data/objects.ts'
import { formatWhen } from '../../format/format.ts'
import type { IconName } from '../../parts/icon-name.ts'
import { causeOf } from '../events/causes.ts'
import { type Booked, turnedAt } from '../schedule/calendar.ts'

export interface MachineState {
  readonly kind: 'free' | 'turn' | 'own' | 'used' | 'off' | 'inactive'
  readonly icon: IconName
  readonly text: string
  /** Who has it, whatever else it is. */
  readonly running: Booked | undefined
  readonly next: Booked | undefined
}

const turnedUntil = (sut: Sut, booked: readonly Booked[], now: number): number | undefined => {
  const last = booked.findLast(({ to }) => to <= now)
  const until = last && turnedAt(last, turnaroundOf(sut))
  return until !== undefined && until > now ? until : undefined
}

/** What a machine is, in a word. */
export const STATES = {
  free: 'Free',
  turn: 'Turnaround',
  own: 'Yours',
  used: 'In use',
  off: 'Offline',
  inactive: 'Inactive',
} as const

/** `booked` is sorted by start. */
export const stateOf = (sut: Sut, booked: readonly Booked[], now: number, ownId: string): MachineState => {
  const running = booked.find(({ from, to }) => from <= now && now < to)
  const until = turnedUntil(sut, booked, now)
  const kindOf = (): MachineState['kind'] => {
    if (!sut.is_active) return 'inactive'
    if (sut.monitoring.status === 'Offline') return 'off'
    if (running === undefined) return until === undefined ? 'free' : 'turn'
    return running.userId === ownId ? 'own' : 'used'
  }
  const kind = kindOf()
  const cause = kind === 'off' ? causeOf(sut.monitoring) : undefined
  const turned = kind === 'turn' && until !== undefined ? ` until ${formatWhen(until, now)}` : ''
  const text = cause === undefined ? `${STATES[kind]}${turned}` : `${STATES[kind]}, ${cause}`
  return { kind, icon: `s-${kind}`, text, running, next: booked.find(({ from }) => from > now) }
}

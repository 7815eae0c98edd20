import { aliveUntil, type Kept } from '../values/keepalive.ts'
import type { UnixMilliseconds } from '../values/units.ts'
import type { WrittenWindow } from './window.ts'

/** A reservation in a calendar: its window and its user. */
export interface Held extends WrittenWindow {
  readonly _id: string
  readonly user_id: string
  /** Milliseconds from the start to the reservation's creation; 0 if it was made before its start. */
  readonly lateness: number
  /** What has been recorded of it since it was made. */
  readonly recorded: 'nothing' | 'start' | 'end' | 'release'
  /** The client address it is bound to, as a keyed hash; null if to none. */
  readonly client: string | null
  /** Seconds after which it is released unless it is kept alive; 0 if it need not be. */
  readonly keepalive: number
  /** When it was last kept alive; 0 if it was not. */
  readonly kept: UnixMilliseconds
  /** Whether its holder has ever kept it alive. Then connections do not. */
  readonly hasHeartbeats: boolean
}

/** Whether its end is recorded, or it was released. Nothing more is recorded of it then. */
export const isOver = ({ recorded }: Held): boolean => recorded === 'end' || recorded === 'release'

export const startDue = ({ start, lateness }: Pick<Held, 'start' | 'lateness'>): UnixMilliseconds =>
  start * 1000 + lateness

export const lifeOfReservation = (held: Pick<Held, 'keepalive' | 'kept' | 'start' | 'lateness'>): Kept => ({
  keepalive: held.keepalive,
  began: startDue(held),
  kept: held.kept,
})

/** When it is released unless it is kept alive; undefined if it need not be. */
export const keepaliveDue = (held: Held): UnixMilliseconds | undefined =>
  held.keepalive === 0 ? undefined : aliveUntil(lifeOfReservation(held))

import { type Booked, clashOf, type Stretch } from '../../../timeline/calendar.ts'
import { windowOf } from '../../../timeline/draft.ts'
import { clockOf, durationOf } from '../../../timeline/times.ts'
import type { Open } from './view.ts'

/** What can be dragged: the edges of a draft, and the end of an own reservation. */
type Edge = 'start' | 'end' | 'own'

/** What is drawn over a machine's time before it is sent: a draft, or what a reservation is to be extended by. */
export interface Drawn {
  readonly sutId: string
  readonly window: Stretch
  /** What of it is taken. */
  readonly clash: Stretch | undefined
  readonly label: string
  /** What of it can be dragged. */
  readonly edges: readonly Edge[]
  /** As it is announced. */
  readonly text: string
}

/** `booked` is what the machine is taken by. */
export const drawnOf = (open: Open, sutId: string, booked: readonly Booked[], now: number): Drawn | undefined => {
  if (open.kind === 'draft') {
    const window = windowOf(open.draft, now, booked)
    const clash = clashOf(booked, window)
    const text = `${clockOf(window.from)} to ${clockOf(window.to)}, ${clash === undefined ? 'free' : 'taken'}`
    return { sutId, window, clash, label: durationOf(open.draft.length), edges: ['start', 'end'], text }
  }
  const own = booked.find(({ _id }) => _id === open.id)
  if (own === undefined || open.end === undefined || open.end <= own.to) return undefined
  const label = `+${durationOf(open.end - own.to)}`
  const text = `Until ${clockOf(open.end)}, ${durationOf(open.end - own.to)} longer`
  return { sutId, window: { from: own.to, to: open.end }, clash: undefined, label, edges: ['own'], text }
}

import { clashOf, conflictsOf, overlaps, type Stretch, type Taken } from '../../../features/schedule/calendar.ts'
import { beginOf, LENGTHS, lastsOf, windowOf } from '../../../features/schedule/draft.ts'
import type { Open } from '../../../features/view/view.ts'
import { formatClock, formatDuration, formatWhen } from '../../../format/format.ts'

type Edge = 'start' | 'end' | 'own'

/** What is drawn over a machine's time before it is sent: a draft, or by what a reservation is to be extended or shortened. */
export interface Drawn {
  readonly sutId: string
  readonly window: Stretch
  readonly clash: Stretch | undefined
  readonly label: string
  readonly edges: readonly Edge[]
  readonly isFreed?: boolean
  readonly text: string
}

/** `11:30 to 12:30, free`: as a draft is announced that begins at a time of its window. */
export const announced = (window: Stretch, taken: readonly Taken[], begin: number): string => {
  const conflicts = conflictsOf(taken, window)
  const isHeld = conflicts.some(({ held }) => overlaps(held, window))
  const state = conflicts.length === 0 ? 'free' : isHeld ? 'taken' : 'in a turnaround'
  return `${formatClock(begin)} to ${formatWhen(window.to, begin)}, ${state}`
}

export const drawnOf = (open: Open, sutId: string, taken: readonly Taken[], now: number): Drawn | undefined => {
  if (open.kind === 'draft') {
    const { draft } = open
    const window = windowOf(draft, now, taken)
    return {
      ...{ sutId, window, clash: clashOf(taken, window), edges: ['start', 'end'] },
      label: formatDuration(LENGTHS.includes(draft.length) ? draft.length : lastsOf(draft, now)),
      text: announced(window, taken, beginOf(draft, now)),
    }
  }
  if (open.kind === 'request') return undefined
  const own = taken.find(({ held }) => held._id === open.id)?.held
  const { end } = open
  if (own === undefined || end === undefined || end === own.to) return undefined
  const isFreed = end < own.to
  const by = formatDuration(Math.abs(end - own.to))
  return {
    ...{ sutId, clash: undefined, edges: ['own'], isFreed },
    window: { from: Math.min(end, own.to), to: Math.max(end, own.to) },
    label: `${isFreed ? '−' : '+'}${by}`,
    text: `Until ${formatWhen(end, now)}, ${by} ${isFreed ? 'shorter' : 'longer'}`,
  }
}

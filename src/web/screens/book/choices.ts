import { ordinalOf } from '../../features/queue/wants.ts'
import type { Available, Offer } from '../../features/reserve/available.ts'
import { type Asked, lengthTo } from '../../features/schedule/draft.ts'
import { formatClock, formatDuration, formatRelativeDay, formatWhen } from '../../format/format.ts'
import type { IconName } from '../../parts/icon-name.ts'

/** What can be had: the machines that are free then, or what is free instead, or a place in the queue. Pure. */
export type Choice = Take | Wait

export interface Take {
  readonly kind: 'take'
  readonly key: string
  readonly icon: IconName
  readonly offer: Offer
  readonly hint: string
  readonly asked: Asked
}

export interface Wait {
  readonly kind: 'wait'
  readonly key: 'wait'
  readonly icon: IconName
  readonly hint: string
}

/** `10:42 – 12:45`, with the day where it is not today. */
export const spanOn = (from: number, to: number, now: number): string => {
  const day = formatRelativeDay(from, now)
  return `${day === 'Today' ? '' : `${day}, `}${formatClock(from)} – ${formatWhen(to, from)}`
}

interface Situation {
  readonly now: number
  /** The machine that was refused after this was read. */
  readonly lost: string | undefined
  readonly mayWait: boolean
  /** How many wait for the same machines; undefined where that is not known. */
  readonly ahead: number | undefined
}

export const choicesOf = (
  { free, next, shorter, window }: Available,
  asked: Asked,
  { now, lost, mayWait, ahead }: Situation,
): readonly Choice[] => {
  const begin = asked.start === 'now' ? now : asked.start
  const left = free.filter(({ sutId }) => sutId !== lost)
  if (left.length > 0)
    return left.map((offer, n) => ({
      ...{ kind: 'take', key: offer.sutId, icon: 's-free', hint: n === 0 ? 'best match' : '', asked },
      offer: { ...offer, from: begin, to: window.to },
    }))
  const wait: Wait = {
    ...{ kind: 'wait', key: 'wait', icon: 'queue' },
    hint: ahead === undefined ? '' : `you would be ${ordinalOf(ahead + 1)}`,
  }
  const later: Take | undefined = next && {
    ...{ kind: 'take', key: `next ${next.sutId} ${next.from}`, icon: 'calendar', offer: next, hint: 'next free' },
    asked: { start: next.from, length: next.to - next.from },
  }
  const sooner: Take | undefined = shorter && {
    ...{ kind: 'take', key: `shorter ${shorter.sutId} ${shorter.to}`, icon: 'clock' },
    ...{ offer: { ...shorter, from: begin }, hint: `${formatDuration(shorter.to - begin)}, shorter` },
    asked: { start: asked.start, length: lengthTo(shorter.to, asked.start, begin) },
  }
  // Who waits gets what is free first: not a time of their choice.
  return [mayWait && asked.start === 'now' && wait, later, sooner].filter((each) => typeof each === 'object')
}

export interface Chosen {
  readonly key: string | undefined
  /** The machine that was named to be had at the time that is asked for. */
  readonly name: string | undefined
  readonly before: string | undefined
}

export const chose = (choice: Choice | undefined): Chosen => ({
  ...{ key: choice?.key, before: undefined },
  name: choice?.kind === 'take' && choice.icon === 's-free' ? choice.offer.name : undefined,
})

/** What was named stays chosen as long as it can be had. Then the first is, and what was named is said to be gone. */
export const chosenOf = (before: Chosen | undefined, choices: readonly Choice[]): Chosen =>
  before?.key !== undefined && choices.some(({ key }) => key === before.key)
    ? before
    : { ...chose(choices[0]), before: before?.name ?? before?.before }

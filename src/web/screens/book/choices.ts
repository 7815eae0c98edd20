import type { IconName } from '../../parts/icon-name.ts'
import type { Available, Offer } from '../../reserving/available.ts'
import type { Asked } from '../../timeline/draft.ts'
import { clockOf, durationOf, relativeDayOf } from '../../timeline/times.ts'

/** What can be had: the machines that are free then, or what is free instead. Pure. */
export interface Choice {
  readonly key: string
  readonly icon: IconName
  readonly offer: Offer
  readonly hint: string
  /** What is sent for it. */
  readonly asked: Asked
}

/** Machines that are named, at most. */
const SHOWN = 3

/** `10:42 – 12:45`, with the day where it is not today. */
export const spanOn = (from: number, to: number, now: number): string => {
  const day = relativeDayOf(from, now)
  return `${day === 'Today' ? '' : `${day}, `}${clockOf(from)} – ${clockOf(to)}`
}

/** `lost` was refused after this was read. */
export const choicesOf = (
  { free, next, shorter, window }: Available,
  asked: Asked,
  now: number,
  lost: string | undefined,
): readonly Choice[] => {
  const left = free.filter(({ sutId }) => sutId !== lost)
  if (left.length > 0)
    return left.slice(0, SHOWN).map((offer, n) => {
      const from = asked.start === 'now' ? now : window.from
      return {
        key: offer.sutId,
        icon: 's-free',
        offer: { ...offer, from, to: window.to },
        hint: n === 0 ? 'best fit' : '',
        asked,
      }
    })
  const begin = asked.start === 'now' ? now : asked.start
  const later: Choice[] =
    next === undefined
      ? []
      : [
          {
            ...{ key: `next ${next.sutId} ${next.from}`, icon: 'calendar', offer: next, hint: 'next free' },
            asked: { start: next.from, length: next.to - next.from },
          },
        ]
  const sooner: Choice[] =
    shorter === undefined
      ? []
      : [
          {
            ...{ key: `shorter ${shorter.sutId} ${shorter.to}`, icon: 'clock', offer: { ...shorter, from: begin } },
            hint: `${durationOf(shorter.to - begin)}, shorter`,
            asked: { start: asked.start, length: shorter.to - begin },
          },
        ]
  return [...later, ...sooner]
}

export interface Chosen {
  readonly key: string | undefined
  /** The machine that was named to be had at the time that is asked for. */
  readonly name: string | undefined
  /** The one that was named before, and is no longer free. */
  readonly before: string | undefined
}

/** What somebody has chosen. */
export const chose = (choice: Choice | undefined): Chosen => ({
  ...{ key: choice?.key, before: undefined },
  name: choice?.icon === 's-free' ? choice.offer.name : undefined,
})

/** What was named stays chosen as long as it can be had. Then the first is, and what was named is said to be gone. */
export const chosenOf = (before: Chosen | undefined, choices: readonly Choice[]): Chosen =>
  before?.key !== undefined && choices.some(({ key }) => key === before.key)
    ? before
    : { ...chose(choices[0]), before: before?.name ?? before?.before }

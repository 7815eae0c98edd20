import type { VNode } from 'preact'
import { formatWhen } from '../../format/format.ts'
import { toIso } from '../../format/times.ts'
import { MenuButton } from '../../parts/choose/menu.tsx'
import { type Booked, earlierEnds } from '../schedule/calendar.ts'
import type { Commands } from './commands.ts'

/** Giving a machine back: at once, or from a time on. There is no way back: somebody may take it. */

export type Until = number | 'now'

interface Texts {
  readonly verb: string
  readonly doing: string
  readonly question: string
}

export const giveBackTexts = (sutName: string, isRunning: boolean): Texts =>
  isRunning
    ? { verb: 'Release', doing: 'Releasing…', question: `Release ${sutName} now? It becomes free right away.` }
    : { verb: 'Cancel', doing: 'Cancelling…', question: `Cancel this reservation of ${sutName}?` }

export const textsUntil = (until: Until, now: number, ...of: Parameters<typeof giveBackTexts>): Texts =>
  until === 'now'
    ? giveBackTexts(...of)
    : {
        verb: 'Shorten',
        doing: 'Shortening…',
        question: `Shorten to ${formatWhen(until, now)}? The rest becomes free right away.`,
      }

export const giveBack = ({ run }: Commands, until: Until): Promise<boolean> =>
  until === 'now' ? run('cancel') : run('shorten', { end_time: toIso(until) })

interface Props {
  readonly own: Booked
  readonly now: number
  readonly className: string
  readonly isDisabled: boolean
  readonly onChoose: (end: number) => void
}

export const ShortenMenu = ({ own, now, className, isDisabled, onChoose }: Props): VNode => {
  const choices = earlierEnds(own, now, 6).map((end) => ({ key: String(end), text: `Until ${formatWhen(end, now)}` }))
  return (
    <MenuButton
      label="Shorten"
      text="Shorten"
      className={className}
      choices={choices}
      isDisabled={isDisabled || choices.length === 0}
      onChoose={(key: string) => onChoose(Number(key))}
    />
  )
}

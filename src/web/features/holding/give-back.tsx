/** Giving a machine back: at once, or from a time on. There is no way back: somebody may take it. */

import { useState } from 'preact/hooks'
import { formatWhen, toIso } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { MenuButton } from '../../parts/choose/menu.tsx'
import { type Action, Confirm } from '../../parts/commands/command.tsx'
import { type Booked, earlierEnds } from '../schedule/calendar.ts'
import type { ReservationCommand } from './use-reservation.ts'

type Until = number | 'now'

interface Giving {
  readonly command: ReservationCommand
  readonly name: string
  readonly isRunning: boolean
  readonly onDone?: (until: Until) => void
  /** What is asked, and else may be done, of a series. */
  readonly ofSeries?: { readonly question: string; readonly also: Action } | undefined
}

interface QuestionProps extends Giving {
  readonly until: Until
  readonly onClose: () => void
}

const Question = ({ command, until, name, isRunning, onDone, onClose, ofSeries }: QuestionProps) => {
  const now = usePage().clock.value
  const act = (verb: string, body?: object) => () => command.act(verb, body, () => onDone?.(until))
  const cancel = { onConfirm: act('cancel'), also: ofSeries?.also }
  const asked =
    until !== 'now'
      ? {
          ...{ question: `Shorten to ${formatWhen(until, now)}? The rest becomes free right away.`, action: 'Shorten' },
          ...{ doing: 'Shortening…', onConfirm: act('shorten', { end_time: toIso(until) }) },
        }
      : isRunning
        ? {
            question: `Release ${name} now? It becomes free right away.`,
            ...{ action: 'Release', doing: 'Releasing…', ...cancel },
          }
        : {
            question: ofSeries?.question ?? `Cancel this reservation of ${name}?`,
            ...{ action: ofSeries === undefined ? 'Cancel' : 'Cancel this one', doing: 'Cancelling…', ...cancel },
          }
  return <Confirm command={command} onClose={onClose} {...asked} />
}

/** Asks before a machine is given back: the question, while it is asked, and what asks it. */
export const useGiveBack = (giving: Giving, first?: Until) => {
  const [until, ask] = useState(first)
  const question = until !== undefined && <Question {...giving} until={until} onClose={() => ask(undefined)} />
  return [question, ask] as const
}

export const choicesOf = (ends: readonly number[], now: number, group?: string) =>
  ends.map((end) => ({
    key: end,
    text: `Until ${formatWhen(end, now)}`,
    ...(group !== undefined && { group }),
  }))

export const earlierChoices = (own: Booked, now: number, group?: string) =>
  choicesOf(earlierEnds(own, now, 6), now, group)

interface Props {
  readonly own: Booked
  readonly now: number
  readonly isDisabled: boolean
  readonly onChoose: (end: number) => void
}

export const ShortenMenu = ({ own, now, isDisabled, onChoose }: Props) => {
  const choices = earlierChoices(own, now)
  return (
    <MenuButton
      label="Shorten"
      text="Shorten"
      choices={choices}
      isDisabled={isDisabled || choices.length === 0}
      onChoose={onChoose}
    />
  )
}

import { formatWhen, toIso } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { MenuButton } from '../../parts/choose/menu.tsx'
import { type Action, Confirm } from '../../parts/commands/command.tsx'
import { type Booked, earlierEnds } from '../schedule/calendar.ts'
import type { ReservationCommand } from './use-reservation.ts'

/** Giving a machine back: at once, or from a time on. There is no way back: somebody may take it. */

export type Until = number | 'now'

interface GiveBackProps {
  readonly command: ReservationCommand
  readonly until: Until
  readonly name: string
  readonly isRunning: boolean
  readonly onDone?: () => void
  readonly onClose: () => void
  /** What is asked, and else may be done, of a series. */
  readonly ofSeries?: { readonly question: string; readonly also: Action } | undefined
}

/** Asks before a machine is given back. */
export const GiveBack = ({ command, until, name, isRunning, onDone, onClose, ofSeries }: GiveBackProps) => {
  const now = usePage().clock.value
  const cancel = { onConfirm: () => command.act('cancel', undefined, onDone), also: ofSeries?.also }
  const asked =
    until !== 'now'
      ? {
          ...{ question: `Shorten to ${formatWhen(until, now)}? The rest becomes free right away.`, action: 'Shorten' },
          ...{ doing: 'Shortening…', onConfirm: () => command.act('shorten', { end_time: toIso(until) }, onDone) },
        }
      : isRunning
        ? {
            question: `Release ${name} now? It becomes free right away.`,
            action: 'Release',
            doing: 'Releasing…',
            ...cancel,
          }
        : {
            question: ofSeries?.question ?? `Cancel this reservation of ${name}?`,
            ...{ action: ofSeries === undefined ? 'Cancel' : 'Cancel this one', doing: 'Cancelling…', ...cancel },
          }
  return <Confirm command={command} onClose={onClose} {...asked} />
}

export const choicesOf = (ends: readonly number[], now: number, group?: string) =>
  ends.map((end) => ({
    key: String(end),
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
      onChoose={(key: string) => onChoose(Number(key))}
    />
  )
}

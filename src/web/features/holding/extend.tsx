/** What one may do with the end of a reservation. */

import { useRef, useState } from 'preact/hooks'
import { formatWhen, HOUR, MINUTE, toIso } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { MenuButton, MoreMenu } from '../../parts/choose/menu.tsx'
import { type Action, CommandButton, Confirm } from '../../parts/commands/command.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Name, Note } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'
import { type Booked, earlierEnds, extensionsOf, nextTaken, type Taken } from '../schedule/calendar.ts'
import type { ReservationCommand } from './use-reservation.ts'

type Until = number | 'now'

/** Giving a machine back: at once, or from a time on. There is no way back: somebody may take it. */
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

const choicesOf = (ends: readonly number[], now: number, group?: string) =>
  ends.map((end) => ({
    key: end,
    text: `Until ${formatWhen(end, now)}`,
    ...(group !== undefined && { group }),
  }))

const earlierChoices = (own: Booked, now: number, group?: string) => choicesOf(earlierEnds(own, now, 6), now, group)

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

export const USUAL_MS = 30 * MINUTE

/** Until when a reservation could last, in the words `until 11:30`; nothing where it ends or nothing follows. */
export const afterText = (taken: readonly Taken[] | undefined, own: Booked, now: number): string | undefined => {
  const until = taken && nextTaken(taken, own)
  return until === undefined || until <= own.to || until === Number.POSITIVE_INFINITY
    ? undefined
    : `until ${formatWhen(until, now)}`
}

const endsOf = (taken: readonly Taken[] | undefined, own: Booked): readonly number[] =>
  taken === undefined ? [1, 2, 4].map((hours) => own.to + hours * HOUR) : extensionsOf(taken, own, 6)

export interface HoldingProps {
  readonly own: Booked
  readonly taken: readonly Taken[] | undefined
  readonly command: ReservationCommand
}

export const extendTo = ({ act }: ReservationCommand, end: number, onDone?: () => void): Promise<unknown> =>
  act('extend', { end_time: toIso(end) }, onDone)

export const EndsMenu = ({
  own,
  taken,
  command,
  onShorten,
}: HoldingProps & { readonly onShorten: (end: number) => void }) => {
  const now = usePage().clock.value
  const choices = [...choicesOf(endsOf(taken, own), now, 'Extend'), ...earlierChoices(own, now, 'Shorten')]
  const choose = (end: number): unknown => (end > own.to ? extendTo(command, end) : onShorten(end))
  return (
    <MoreMenu
      label="Extend or shorten"
      look="small"
      choices={choices}
      isDisabled={command.isOff || choices.length === 0}
      onChoose={choose}
    />
  )
}

export const ExtendPair = ({ own, taken, command }: HoldingProps) => {
  const choices = choicesOf(endsOf(taken, own), usePage().clock.value)
  return (
    <span class="btn-pair">
      <CommandButton command={command} doing="Extending…" onPress={() => extendTo(command, own.to + USUAL_MS)}>
        Extend 30 m
      </CommandButton>
      <MenuButton
        label="Extend to another time"
        isDisabled={command.isOff || choices.length === 0}
        choices={choices}
        onChoose={(end) => extendTo(command, end)}
      />
    </span>
  )
}

const refusedText = ({ message, problem: { conflicts, errors } }: Refused) => {
  const [first] = conflicts ?? []
  if (first?.turnaround) return 'It needs its turnaround before the next reservation.'
  if (first !== undefined)
    return (
      <span>
        <Name of={first.user_name} /> has it from {formatWhen(Date.parse(first.start_time), currentTime())}.
      </span>
    )
  const wrong = errors?.find((each) => 'pointer' in each && each.pointer === '#/end_time')
  return wrong === undefined ? message : `The end ${wrong.detail}.`
}

const Refusal = ({ refused, command }: { readonly refused: Refused; readonly command: ReservationCommand }) => {
  const note = useRef<HTMLDivElement>(null)
  useFocusReturn(note, 'Extend 30 m')
  const until = refused.problem.extendable_until
  const end = until ? Date.parse(until) : undefined
  return (
    <Note
      kind="danger"
      ref={note}
      action={
        end !== undefined && (
          <CommandButton look="small" command={command} onPress={() => extendTo(command, end)}>
            Extend to {formatWhen(end, currentTime())}
          </CommandButton>
        )
      }
    >
      {refusedText(refused)}
    </Note>
  )
}

/** Why a command was refused, if it was; with the latest possible end as a button, where the service names one. */
export const CommandNote = ({ command }: { readonly command: ReservationCommand }) =>
  command.refused && <Refusal refused={command.refused} command={command} />

import { useRef } from 'preact/hooks'
import { formatWhen, HOUR, MINUTE, toIso } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { MenuButton, MoreMenu } from '../../parts/choose/menu.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Name, Note } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'
import { type Booked, extensionsOf, nextTaken, type Taken } from '../schedule/calendar.ts'
import { choicesOf, earlierChoices } from './give-back.tsx'
import type { ReservationCommand } from './use-reservation.ts'

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

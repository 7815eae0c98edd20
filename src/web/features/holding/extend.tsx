import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { formatWhen } from '../../format/format.ts'
import { HOUR, MINUTE, toIso } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { MenuButton } from '../../parts/choose/menu.tsx'
import { CommandButton } from '../../parts/commands/command-button.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Name } from '../../parts/show/name.tsx'
import { Note } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { type Booked, extensionsOf, nextTaken, type Taken } from '../schedule/calendar.ts'
import type { Commands } from './commands.ts'

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

interface Props {
  readonly own: Booked
  readonly taken: readonly Taken[] | undefined
  readonly commands: Commands
  readonly isDisabled: boolean
}

const extendTo = ({ run }: Commands, end: number): void => void run('extend', { end_time: toIso(end) })

const choicesOf = ({ own, taken }: Props, now: number) =>
  endsOf(taken, own).map((end) => ({ key: String(end), text: `Until ${formatWhen(end, now)}` }))

export const ExtendMenu = (props: Props): VNode => {
  const choices = choicesOf(props, usePage().clock.value)
  const { commands, isDisabled } = props
  return (
    <MenuButton
      label="Extend"
      text="Extend"
      className="btn quiet small"
      choices={choices}
      isDisabled={isDisabled || commands.isBusy || choices.length === 0}
      onChoose={(key: string) => extendTo(commands, Number(key))}
    />
  )
}

export const ExtendPair = (props: Props): VNode => {
  const { own, commands, isDisabled } = props
  const off = isDisabled || commands.isBusy
  const isExtending = commands.sending === 'extend'
  const choices = choicesOf(props, usePage().clock.value)
  return (
    <span class="btn-pair">
      <CommandButton
        isBusy={isExtending}
        doing="Extending…"
        isDisabled={off && !isExtending}
        onPress={() => extendTo(commands, own.to + USUAL_MS)}
      >
        Extend 30 m
      </CommandButton>
      <MenuButton
        label="Extend to another time"
        isDisabled={off || choices.length === 0}
        choices={choices}
        onChoose={(key: string) => extendTo(commands, Number(key))}
      />
    </span>
  )
}

const refusedText = ({ message, problem: { conflicts, errors } }: Refused): VNode | string => {
  const [first] = Array.isArray(conflicts) ? conflicts : []
  if (first?.turnaround === true) return 'It needs its turnaround before the next reservation.'
  if (typeof first?.user_name === 'string')
    return (
      <span>
        <Name of={first.user_name} /> has it from {formatWhen(Date.parse(first.start_time), Date.now())}.
      </span>
    )
  const wrong = errors?.find((each) => 'pointer' in each && each.pointer === '#/end_time')
  return wrong === undefined ? message : `The end ${wrong.detail}.`
}

export const CommandNote = ({
  refused,
  commands: { run },
}: {
  readonly refused: Refused
  readonly commands: Commands
}): VNode => {
  const note = useRef<HTMLDivElement>(null)
  useFocusReturn(note, 'Extend 30 m')
  const until = refused.problem.extendable_until
  const end = typeof until === 'string' ? Date.parse(until) : undefined
  return (
    <Note
      kind="danger"
      ref={note}
      action={
        end !== undefined && (
          <Button look="small" onClick={() => run('extend', { end_time: toIso(end) })}>
            Extend to {formatWhen(end, Date.now())}
          </Button>
        )
      }
    >
      {refusedText(refused)}
    </Note>
  )
}

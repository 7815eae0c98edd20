import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { bookedOf, type NamedReservation, systemOf } from '../../data/objects.ts'
import { useCommands } from '../../features/holding/commands.ts'
import { CommandNote, ExtendMenu } from '../../features/holding/extend.tsx'
import { giveBack, ShortenMenu, textsUntil, type Until } from '../../features/holding/give-back.tsx'
import { cancelRest } from '../../features/series/series.tsx'
import { formatDuration, formatSpan } from '../../format/format.ts'
import { MINUTE } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { IconName } from '../../parts/icon-name.ts'
import { Note } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { take } from '../schedule/grid/view.ts'
import { type Held, MachineLink, nameOfHeld } from './running.tsx'

interface AheadProps {
  readonly held: Held
  readonly isDisabled: boolean
  readonly icon?: IconName
  /** What is said beside the name; the system unless given. */
  readonly about?: VNode | undefined
  /** What has not begun of a series, with this one. */
  readonly rest?: { readonly seriesId: string; readonly count: number } | undefined
}

export const Ahead = ({ held, isDisabled, icon = 'calendar', about, rest }: AheadProps): VNode => {
  const { reservation, sut, taken } = held
  const page = usePage()
  const now = page.minute.value
  const commands = useCommands(reservation._id)
  const [until, ask] = useState<Until | undefined>(undefined)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const own = bookedOf(reservation)
  const name = nameOfHeld(held)
  const { verb, doing, question } = textsUntil(until ?? 'now', now, name, false)
  const startsSoon = from - now <= 12 * 60 * MINUTE
  const confirm = (): Promise<void> => giveBack(commands, until ?? 'now').then(() => ask(undefined))
  const [restRefused, setRestRefused] = useState<Refused | undefined>(undefined)
  const cancelAll = async (seriesId: string): Promise<void> => {
    setRestRefused(await cancelRest(page, seriesId))
    ask(undefined)
  }
  const all = until === 'now' && rest !== undefined && rest.count > 1 ? rest : undefined
  return (
    <div>
      <div class="list-row">
        <Icon name={icon} />
        <span class="row">
          <MachineLink held={held} />
          {about ?? <span class="muted clip">{sut && systemOf(sut)}</span>}
        </span>
        <span class="when second num">
          {formatSpan(from, to, now)}
          {startsSoon && `, in ${formatDuration(from - now + MINUTE - 1)}`}
        </span>
        {until === undefined && (
          <span class="row acts">
            <ExtendMenu own={own} taken={taken} commands={commands} isDisabled={isDisabled} />
            <ShortenMenu
              own={own}
              now={now}
              className="btn quiet small"
              isDisabled={isDisabled || commands.isBusy}
              onChoose={ask}
            />
            <Button look="quiet small" disabled={isDisabled || commands.isBusy} onClick={() => ask('now')}>
              Cancel
            </Button>
          </span>
        )}
      </div>
      {until !== undefined &&
        (all === undefined ? (
          <Confirm
            question={question}
            action={verb}
            doing={doing}
            isDisabled={isDisabled}
            onConfirm={confirm}
            onBack={() => ask(undefined)}
          />
        ) : (
          <Confirm
            question={`Cancel this reservation of ${name}, or all ${all.count} that have not started?`}
            action="Cancel this one"
            doing="Cancelling…"
            isDisabled={isDisabled}
            onConfirm={confirm}
            also={{ action: `Cancel all ${all.count}`, doing: 'Cancelling…', onConfirm: () => cancelAll(all.seriesId) }}
            onBack={() => ask(undefined)}
          />
        ))}
      {restRefused !== undefined && <Note kind="danger">{restRefused.message}</Note>}
      {commands.refused !== undefined && <CommandNote refused={commands.refused} commands={commands} />}
    </div>
  )
}

const becameOf = ({ state, end_time, planned_end_time }: NamedReservation): string => {
  if (state === 'cancelled') return 'cancelled'
  if (state === 'over') return 'ended'
  return `released ${formatDuration(Date.parse(planned_end_time) - Date.parse(end_time))} early`
}

/** A reservation that is over. `used` is for how long it had connections, in milliseconds. */
export const Past = ({
  reservation,
  used,
  mayReserve,
}: {
  readonly reservation: NamedReservation
  readonly used: number | undefined
  readonly mayReserve: boolean
}): VNode => {
  const held: Held = { reservation, sut: undefined, taken: undefined }
  const now = usePage().minute.value
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const again = (): void => take(reservation.sut_id, Date.parse(reservation.planned_end_time) - from)
  const name = nameOfHeld(held)
  return (
    <div class="list-row">
      <Icon name={reservation.state === 'cancelled' ? 'x' : 'check'} />
      <span class="row">
        <MachineLink held={held} />
        <span class="muted clip">{becameOf(reservation)}</span>
      </span>
      <span class="when second num">
        {formatSpan(from, to, now)}
        {used !== undefined && `, connected for ${formatDuration(used)}`}
      </span>
      <span class="row acts">
        {mayReserve && (
          <Button label="Reserve again" look="quiet small" aria-label={`Reserve ${name} again`} onClick={again} />
        )}
      </span>
    </div>
  )
}

import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { bookedOf, type NamedReservation, systemOf } from '../../data/objects.ts'
import { CommandNote, EndsMenu, useGiveBack } from '../../features/holding/extend.tsx'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { useSeries } from '../../features/series/series.tsx'
import { take } from '../../features/view/view.ts'
import { formatDuration, formatSpan, MINUTE } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { type Held, MachineLink, nameOfHeld } from './running.tsx'

interface AheadProps {
  readonly held: Held
  readonly icon?: IconName
  /** What is said beside the name; the system unless given. */
  readonly about?: VNode | undefined
  /** What has not begun of a series, with this one. */
  readonly rest?: { readonly seriesId: string; readonly count: number } | undefined
}

export const Ahead = ({ held, icon = 'calendar', about, rest }: AheadProps) => {
  const { reservation, sut, taken } = held
  const now = usePage().minute.value
  const command = useReservation(reservation._id)
  const series = useSeries(command)
  const row = useRef<HTMLDivElement>(null)
  useFocusReturn(row, 'Cancel')
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const own = bookedOf(reservation)
  const name = nameOfHeld(held)
  const startsSoon = from - now <= 12 * 60 * MINUTE
  const ofSeries = rest && {
    question: `Cancel this reservation of ${name}, or all ${rest.count} that have not started?`,
    also: {
      ...{ action: `Cancel all ${rest.count}`, doing: 'Cancelling…' },
      onConfirm: () => series.cancelRest(rest.seriesId),
    },
  }
  const isOne = rest === undefined || rest.count === 1
  const [question, ask] = useGiveBack({ command, name, isRunning: false, ofSeries: isOne ? undefined : ofSeries })
  return (
    <div ref={row}>
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
        {!question && (
          <span class="row acts">
            <EndsMenu own={own} taken={taken} command={command} onShorten={ask} />
            <Button label="Cancel" look="small" disabled={command.isOff} onClick={() => ask('now')} />
          </span>
        )}
      </div>
      {question}
      <CommandNote command={command} />
    </div>
  )
}

const becameOf = ({ state, end_time, planned_end_time }: NamedReservation): string => {
  if (state === 'cancelled') return 'cancelled'
  if (state === 'over') return 'ended'
  return `released ${formatDuration(Date.parse(planned_end_time) - Date.parse(end_time))} early`
}

interface PastProps {
  readonly reservation: NamedReservation
  /** For how long it had connections, in milliseconds. */
  readonly used: number | undefined
  readonly mayReserve: boolean
}

/** A reservation that is over. */
export const Past = ({ reservation, used, mayReserve }: PastProps) => {
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

/** One's own reservations: those that run, those ahead, and those that are over. */

import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { bookedOf, briefOf, type NamedReservation, type Reservation, type Sut, systemOf } from '../../data/objects.ts'
import { Connect } from '../../features/holding/connection.tsx'
import {
  afterText,
  CommandNote,
  EndsMenu,
  ExtendPair,
  ShortenMenu,
  useGiveBack,
} from '../../features/holding/extend.tsx'
import { useReservation } from '../../features/holding/use-reservation.ts'
import type { Stretch, Taken } from '../../features/schedule/calendar.ts'
import { useSeries } from '../../features/series/series.tsx'
import { take } from '../../features/view/view.ts'
import { formatDuration, formatSpan, formatWhen, HOUR, MINUTE } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { isNear } from '../../page/warning.ts'
import { Button } from '../../parts/button.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { NameLink } from '../../parts/show/name-link.tsx'

export interface Held {
  readonly reservation: Reservation
  /** Undefined until it was read, and for a machine outside one's scope. */
  readonly sut: Sut | undefined
  /** What is taken of the machine, by start; undefined until it was read. */
  readonly taken: readonly Taken[] | undefined
}

const nameOfHeld = ({ reservation, sut }: Held): string => sut?.name ?? reservation.sut_name ?? reservation.sut_id

const MachineLink = ({ held }: { readonly held: Held }) => (
  <NameLink name={nameOfHeld(held)} href={linkTo('machines', held.reservation.sut_id)} />
)

const Ring = ({ from, to }: Stretch) => {
  const page = usePage()
  const now = page.clock.value
  const left = to - now
  const share = Math.min(1, left / (to - from))
  // Two units side by side are too wide for it.
  const [first, second] = formatDuration(left).split(/(?<=[dh]) /)
  return (
    <span
      class={isNear(to, now, page.warning.value) ? 'ring near' : 'ring'}
      role="timer"
      aria-live="off"
      aria-label={`${formatDuration(left)} left`}
    >
      <svg viewBox="0 0 56 56" width="56" height="56" aria-hidden="true">
        <circle cx="28" cy="28" r="25" />
        <circle cx="28" cy="28" r="25" pathLength={1} stroke-dasharray={`${share} 1`} />
      </svg>
      <span>
        {first}
        {second !== undefined && (
          <>
            <br />
            {second}
          </>
        )}
        <small>left</small>
      </span>
    </span>
  )
}

export const Running = ({ held }: { readonly held: Held }) => {
  const { reservation, sut, taken } = held
  const now = usePage().clock.value
  const command = useReservation(reservation._id)
  const row = useRef<HTMLElement>(null)
  useFocusReturn(row, 'Release')
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const about = sut ? briefOf(sut) : ''
  const own = bookedOf(reservation)
  const after = afterText(taken, own, now)
  const name = nameOfHeld(held)
  const [question, ask] = useGiveBack({ command, name, isRunning: true })
  return (
    <article class="run" aria-label={name} ref={row}>
      <Ring from={from} to={to} />
      <div>
        <h3>
          <MachineLink held={held} />
        </h3>
        <p class="second num">
          {about !== '' && `${about}. `}Since {formatWhen(from, now)}, until <b class="medium">{formatWhen(to, now)}</b>
          {after !== undefined && `. Free after it ${after}`}
        </p>
      </div>
      {question || (
        <div class="row acts">
          <ExtendPair own={own} taken={taken} command={command} />
          <ShortenMenu own={own} now={now} isDisabled={command.isOff} onChoose={ask} />
          <Button label="Release" look="danger" disabled={command.isOff} onClick={() => ask('now')} />
        </div>
      )}
      <Connect reservation={reservation} type={sut?.sut_type} command={command} />
      {command.refused && (
        <div class="row wrap connect">
          <CommandNote command={command} />
        </div>
      )}
    </article>
  )
}

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
          {from - now <= 12 * HOUR && `, in ${formatDuration(from - now + MINUTE - 1)}`}
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
  const label = `Reserve ${nameOfHeld(held)} again`
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
        {mayReserve && <Button label="Reserve again" look="quiet small" aria-label={label} onClick={again} />}
      </span>
    </div>
  )
}

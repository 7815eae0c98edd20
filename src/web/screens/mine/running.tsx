import { useRef } from 'preact/hooks'
import { bookedOf, briefOf, type Reservation, type Sut } from '../../data/objects.ts'
import { Connect } from '../../features/holding/connection.tsx'
import { afterText, CommandNote, ExtendPair, ShortenMenu, useGiveBack } from '../../features/holding/extend.tsx'
import { useReservation } from '../../features/holding/use-reservation.ts'
import type { Stretch, Taken } from '../../features/schedule/calendar.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { isNear } from '../../page/warning.ts'
import { Button } from '../../parts/button.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { NameLink } from '../../parts/show/name-link.tsx'

export interface Held {
  readonly reservation: Reservation
  /** Undefined until it was read, and for a machine outside one's scope. */
  readonly sut: Sut | undefined
  /** What is taken of the machine, by start; undefined until it was read. */
  readonly taken: readonly Taken[] | undefined
}

export const nameOfHeld = ({ reservation, sut }: Held): string =>
  sut?.name ?? reservation.sut_name ?? reservation.sut_id

export const MachineLink = ({ held }: { readonly held: Held }) => (
  <NameLink name={nameOfHeld(held)} href={linkTo('machines', held.reservation.sut_id)} />
)

const CIRCUMFERENCE = 2 * Math.PI * 25

const Ring = ({ from, to }: Stretch) => {
  const page = usePage()
  const now = page.clock.value
  const left = to - now
  const share = Math.min(1, left / (to - from))
  const near = isNear(to, now, page.warning.value)
  // Two units side by side are too wide for it.
  const [first, second] = formatDuration(left).split(/(?<=[dh]) /)
  return (
    <span class={`ring${near ? ' near' : ''}`} role="timer" aria-live="off" aria-label={`${formatDuration(left)} left`}>
      <svg viewBox="0 0 56 56" width="56" height="56" aria-hidden="true">
        <circle cx="28" cy="28" r="25" />
        <circle
          cx="28"
          cy="28"
          r="25"
          stroke-dasharray={`${(share * CIRCUMFERENCE).toFixed(1)} ${CIRCUMFERENCE.toFixed(1)}`}
        />
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

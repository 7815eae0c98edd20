import type { Reservation, Sut } from '../../data/objects.ts'
import { Connect } from '../../features/holding/connection.tsx'
import { afterText, CommandNote, extendTo } from '../../features/holding/extend.tsx'
import { ShortenMenu, useGiveBack } from '../../features/holding/give-back.tsx'
import { type ReservationCommand, useReservation } from '../../features/holding/use-reservation.ts'
import { type Booked, extensionsOf, type Taken } from '../../features/schedule/calendar.ts'
import { SeriesNote } from '../../features/series/series.tsx'
import { close, show } from '../../features/view/view.ts'
import { formatDayTitle, formatDuration, formatWhen, toIso } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { usePersonName } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { FieldGroup } from '../../parts/field.tsx'
import { blockOf, Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly reservation: Reservation
  readonly taken: readonly Taken[]
  readonly end: number | undefined
  /** Whether it is asked at once if it is to be given back. */
  readonly isGivenBack: boolean | undefined
}

interface EndProps {
  readonly own: Booked
  readonly now: number
  readonly command: ReservationCommand
  readonly onDone: () => void
}

const ExtendChips = ({ own, taken, now, command, onDone }: EndProps & Pick<Props, 'taken'>) => {
  const ends = extensionsOf(taken, own)
  if (ends.length === 0) return undefined
  return (
    <FieldGroup label="Extend">
      <div class="chips">
        {ends.map((end) => (
          <Chip
            key={end}
            class="two"
            label={`+${formatDuration(end - own.to)}`}
            detail={formatWhen(end, now)}
            disabled={command.isOff}
            onPress={() => extendTo(command, end, onDone)}
          />
        ))}
      </div>
    </FieldGroup>
  )
}

const DrawnEnd = ({ own, now, end, command, onDone }: EndProps & Pick<Props, 'end'>) => {
  if (end === undefined || end === own.to) return undefined
  const [verb, action, than] = end > own.to ? ['extend', 'Extend', 'longer'] : ['shorten', 'Shorten', 'shorter']
  const take = () => command.act(verb, { end_time: toIso(end) }, onDone)
  return (
    <CommandButton look="primary" data-first="" command={command} onPress={take}>
      {`${action} to ${formatWhen(end, now)}, ${formatDuration(Math.abs(end - own.to))} ${than}`}
    </CommandButton>
  )
}

const Controls = ({ sut, reservation, taken, end, isGivenBack }: Props) => {
  const page = usePage()
  const now = page.clock.value
  const command = useReservation(reservation._id)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isRunning = from <= now && now < to
  const settle = (): void => show({ open: { kind: 'reservation', id: reservation._id } })
  const onCancelled = (): void => {
    if (!isRunning) close()
  }
  const [question, ask] = useGiveBack(
    { command, name: sut.name, isRunning, onDone: (until) => (until === 'now' ? close() : settle()) },
    isGivenBack ? 'now' : undefined,
  )
  if (question) return <div class="pop-body">{question}</div>
  const own = taken.find(({ held }) => held._id === reservation._id)?.held
  const free = own && afterText(taken, own, now)
  const ends = own && { own, now, command, onDone: settle }
  return (
    <div>
      <div class="pop-body">
        <div class="row num result">
          <b>{isRunning ? `${formatDuration(to - now)} left` : formatDuration(to - from)}</b>
          <span class="second">{free && `free ${free} after it`}</span>
        </div>
        {ends && <DrawnEnd {...ends} end={end} />}
        {isRunning && (
          <Connect reservation={reservation} type={sut.sut_type} command={command} isFirst={end === undefined} />
        )}
        {ends && <ExtendChips {...ends} taken={taken} />}
        <SeriesNote reservation={reservation} name={sut.name} mayCancel onCancelled={onCancelled} />
        <CommandNote command={command} />
      </div>
      <div class="row pop-foot">
        <Button label="Machine" href={linkTo('machines', sut._id)} />
        <span class="grow" />
        {own !== undefined && <ShortenMenu own={own} now={now} isDisabled={command.isOff} onChoose={ask} />}
        <Button look="danger" disabled={command.isOff} onClick={() => ask('now')}>
          {isRunning ? 'Release' : 'Cancel'}
        </Button>
      </div>
    </div>
  )
}

export const BlockPopover = (props: Props) => {
  const { sut, reservation } = props
  const nameOf = usePersonName()
  const page = usePage()
  const me = meOf(page)
  const now = page.minute.value
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isOwn = reservation.user_id === me._id
  const who = isOwn ? 'Yours' : nameOf(reservation.user_id)
  const mayControl = to > now && me.role !== 'auditor' && (isOwn || me.role === 'administrator')
  const label = isOwn ? `Your reservation of ${sut.name}` : sut.name
  return (
    <Popover
      title={sut.name}
      label={label}
      subtitle={`${who}, ${formatWhen(from, now)} to ${formatWhen(to, from)}`}
      anchor={() => blockOf(reservation._id)}
    >
      {mayControl ? (
        <Controls {...props} />
      ) : (
        <div class="pop-body">
          <p>
            {formatDayTitle(from, now)}, {formatDuration(to - from)}
          </p>
          <SeriesNote reservation={reservation} name={sut.name} mayCancel={false} onCancelled={close} />
        </div>
      )}
    </Popover>
  )
}

/** What a block of the timeline opens: a reservation, or somebody who waits. */

import type { Reservation, Sut } from '../../data/objects.ts'
import { Connect } from '../../features/holding/connection.tsx'
import { afterText, CommandNote, extendTo, ShortenMenu, useGiveBack } from '../../features/holding/extend.tsx'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { RequestCard } from '../../features/queue/card.tsx'
import { extensionsOf, type Taken } from '../../features/schedule/calendar.ts'
import { draftAt } from '../../features/schedule/draft.ts'
import { SeriesNote } from '../../features/series/series.tsx'
import { close, draw, type Open, show } from '../../features/view/view.ts'
import { formatDayTitle, formatDuration, formatWhen, toIso } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { usePersonName } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { FieldGroup } from '../../parts/field.tsx'
import { blockOf, Popover } from './popover.tsx'

interface Machine {
  readonly sut: Sut
  readonly taken: readonly Taken[]
}

interface Props extends Machine {
  readonly reservation: Reservation
  readonly open: Extract<Open, { kind: 'reservation' }>
}

const Controls = ({ sut, reservation, taken, open }: Props) => {
  const now = usePage().clock.value
  const command = useReservation(reservation._id)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isRunning = from <= now && now < to
  const settle = (): void => show({ open: { kind: 'reservation', id: reservation._id } })
  const onCancelled = (): void => {
    if (!isRunning) close()
  }
  const [question, ask] = useGiveBack(
    { command, name: sut.name, isRunning, onDone: (until) => (until === 'now' ? close() : settle()) },
    open.isGivenBack ? 'now' : undefined,
  )
  if (question) return <div class="pop-body">{question}</div>
  const own = taken.find(({ held }) => held._id === reservation._id)?.held
  const free = own && afterText(taken, own, now)
  const ends = own === undefined ? [] : extensionsOf(taken, own)
  const drawnEnd = (end: number, before: number) => {
    const [verb, action, than] = end > before ? ['extend', 'Extend', 'longer'] : ['shorten', 'Shorten', 'shorter']
    return (
      <CommandButton
        look="primary"
        data-first=""
        command={command}
        onPress={() => command.act(verb, { end_time: toIso(end) }, settle)}
      >
        {`${action} to ${formatWhen(end, now)}, ${formatDuration(Math.abs(end - before))} ${than}`}
      </CommandButton>
    )
  }
  return (
    <div>
      <div class="pop-body">
        <div class="row num result">
          <b>{isRunning ? `${formatDuration(to - now)} left` : formatDuration(to - from)}</b>
          <span class="second">{free && `free ${free} after it`}</span>
        </div>
        {own && open.end !== undefined && open.end !== own.to && drawnEnd(open.end, own.to)}
        {isRunning && (
          <Connect reservation={reservation} type={sut.sut_type} command={command} isFirst={open.end === undefined} />
        )}
        {own && ends.length > 0 && (
          <FieldGroup label="Extend">
            <div class="chips">
              {ends.map((end) => (
                <Chip
                  key={end}
                  class="two"
                  label={`+${formatDuration(end - own.to)}`}
                  detail={formatWhen(end, now)}
                  disabled={command.isOff}
                  onPress={() => extendTo(command, end, settle)}
                />
              ))}
            </div>
          </FieldGroup>
        )}
        <SeriesNote reservation={reservation} name={sut.name} mayCancel onCancelled={onCancelled} />
        <CommandNote command={command} />
      </div>
      <div class="row pop-foot">
        <Button label="Machine" href={linkTo('machines', sut._id)} />
        <span class="grow" />
        {own && <ShortenMenu own={own} now={now} isDisabled={command.isOff} onChoose={ask} />}
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
  const mayControl = to > now && me.role !== 'auditor' && (isOwn || me.role === 'administrator')
  return (
    <Popover
      title={sut.name}
      label={isOwn ? `Your reservation of ${sut.name}` : sut.name}
      subtitle={`${isOwn ? 'Yours' : nameOf(reservation.user_id)}, ${formatWhen(from, now)} to ${formatWhen(to, from)}`}
      anchor={blockOf(reservation._id)}
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

export const RequestPopover = ({ sut, taken, open }: Machine & { open: Extract<Open, { kind: 'request' }> }) => {
  const page = usePage()
  const me = meOf(page)
  const { _id, userId, name } = open.queued
  return (
    <Popover
      title={userId === me._id ? 'You are waiting' : `${name} is waiting`}
      subtitle={`At the next time ${sut.name} may be free`}
      anchor={blockOf(`queued ${_id}`)}
    >
      <div class="pop-body">
        <RequestCard id={_id} />
      </div>
      {me.role !== 'auditor' && (
        <div class="row pop-foot">
          <span class="grow" />
          <Button label="Reserve this time" onClick={() => draw(draftAt(sut._id, open.at, taken, page.clock.peek()))} />
        </div>
      )}
    </Popover>
  )
}

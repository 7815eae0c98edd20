import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reservation, Sut } from '../../data/objects.ts'
import { useCommands } from '../../features/holding/commands.ts'
import { Connect } from '../../features/holding/connection.tsx'
import { afterText, CommandNote } from '../../features/holding/extend.tsx'
import { giveBack, ShortenMenu, textsUntil, type Until } from '../../features/holding/give-back.tsx'
import { type Booked, extensionsOf, type Taken } from '../../features/schedule/calendar.ts'
import { SeriesNote } from '../../features/series/series.tsx'
import { formatDayTitle, formatDuration, formatWhen } from '../../format/format.ts'
import { toIso } from '../../format/times.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { show, view } from './grid/view.ts'
import { Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly reservation: Reservation
  readonly taken: readonly Taken[]
  readonly end: number | undefined
  /** Whether it is asked at once if it is to be given back. */
  readonly isGivenBack: boolean | undefined
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
}

const close = (): void => show({ open: undefined })

/** Whether this is still open: an answer may come when something else has been opened. */
const isOpen = (reservationId: string): boolean => {
  const { open } = view.peek()
  return open?.kind === 'reservation' && open.id === reservationId
}

interface ExtendProps {
  readonly own: Booked
  readonly taken: readonly Taken[]
  readonly now: number
  readonly isDisabled: boolean
  readonly onExtend: (end: number) => void
}

const ExtendChips = ({ own, taken, now, isDisabled, onExtend }: ExtendProps): VNode | undefined => {
  const ends = extensionsOf(taken, own)
  if (ends.length === 0) return undefined
  return (
    <div class="field" role="group" aria-label="Extend">
      <span class="label">Extend</span>
      <div class="chips">
        {ends.map((end) => (
          <button key={end} type="button" class="chip two" disabled={isDisabled} onClick={() => onExtend(end)}>
            +{formatDuration(end - own.to)} <small>{formatWhen(end, now)}</small>
          </button>
        ))}
      </div>
    </div>
  )
}

interface DrawnEndProps extends Omit<ExtendProps, 'taken'> {
  readonly end: number | undefined
  readonly onShorten: (end: number) => void
}

const DrawnEnd = ({ own, now, end, isDisabled, onExtend, onShorten }: DrawnEndProps): VNode | undefined => {
  if (end === undefined || end === own.to) return undefined
  const isLater = end > own.to
  const text = `${isLater ? 'Extend' : 'Shorten'} to ${formatWhen(end, now)}, ${formatDuration(Math.abs(end - own.to))} ${isLater ? 'longer' : 'shorter'}`
  return (
    <Button look="primary" data-first disabled={isDisabled} onClick={() => (isLater ? onExtend : onShorten)(end)}>
      {text}
    </Button>
  )
}

const Controls = ({ sut, reservation, taken, end, isGivenBack }: Props): VNode => {
  const page = usePage()
  const now = page.clock.value
  const isAnswered = page.control.isAnswered.value
  const commands = useCommands(reservation._id)
  const { refused, isBusy, run } = commands
  const [until, ask] = useState<Until | undefined>(isGivenBack ? 'now' : undefined)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isRunning = from <= now && now < to
  const settle = (isDone: boolean): void => {
    if (isDone && isOpen(reservation._id)) show({ open: { kind: 'reservation', id: reservation._id } })
  }
  const extend = async (to: number): Promise<void> => settle(await run('extend', { end_time: toIso(to) }))
  const shorten = async (to: number): Promise<void> => {
    settle(await giveBack(commands, to))
    ask(undefined)
  }
  const release = async (): Promise<void> => {
    if (!(await giveBack(commands, 'now'))) return ask(undefined)
    if (isOpen(reservation._id)) close()
  }
  const onCancelled = (): void => {
    if (!isRunning && isOpen(reservation._id)) close()
  }
  if (until !== undefined) {
    const { verb, doing, question } = textsUntil(until, now, sut.name, isRunning)
    const confirm = () => (until === 'now' ? release() : shorten(until))
    return (
      <div class="pop-body">
        <Confirm question={question} action={verb} doing={doing} onConfirm={confirm} onBack={() => ask(undefined)} />
      </div>
    )
  }
  const own = taken.find(({ held }) => held._id === reservation._id)?.held
  const free = own && afterText(taken, own, now)
  const after = free === undefined ? '' : `free ${free} after it`
  const isDisabled = isBusy || !isAnswered
  return (
    <div>
      <div class="pop-body">
        <div class="result">
          <b>{isRunning ? `${formatDuration(to - now)} left` : `${formatDuration(to - from)}`}</b>
          <span class="second">{after}</span>
        </div>
        {own !== undefined && <DrawnEnd {...{ own, now, end, isDisabled }} onExtend={extend} onShorten={shorten} />}
        {isRunning && (
          <Connect
            reservation={reservation}
            type={sut.sut_type}
            commands={commands}
            isDisabled={!isAnswered}
            isFirst={end === undefined}
          />
        )}
        {own !== undefined && <ExtendChips {...{ own, taken, now, isDisabled }} onExtend={extend} />}
        <SeriesNote reservation={reservation} name={sut.name} mayCancel={!isDisabled} onCancelled={onCancelled} />
        {refused !== undefined && <CommandNote refused={refused} commands={commands} />}
      </div>
      <div class="pop-foot">
        <Button label="Machine" href={linkTo('machines', sut._id)} />
        <span class="grow" />
        {own !== undefined && (
          <ShortenMenu own={own} now={now} className="btn" isDisabled={isDisabled} onChoose={ask} />
        )}
        <Button look="danger" disabled={isDisabled} onClick={() => ask('now')}>
          {isRunning ? 'Release' : 'Cancel'}
        </Button>
      </div>
    </div>
  )
}

export const BlockPopover = (props: Props): VNode => {
  const { sut, reservation, nameOf, anchor } = props
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
      className="pop-own"
      subtitle={`${who}, ${formatWhen(from, now)} to ${formatWhen(to, from)}`}
      anchor={anchor}
      onClose={close}
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

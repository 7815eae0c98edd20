import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reservation, Sut } from '../../data/objects.ts'
import { useCommands } from '../../features/holding/commands.ts'
import {
  HostPort,
  PortNote,
  ReadingConnection,
  UnusedNote,
  useConnection,
  ViewerFile,
} from '../../features/holding/connection.tsx'
import { afterText, CommandNote } from '../../features/holding/extend.tsx'
import { giveBack, textsUntil, type Until } from '../../features/holding/give-back.tsx'
import { KeptNote } from '../../features/holding/keepalive.tsx'
import { type Booked, earlierEnds, extensionsOf, type Taken } from '../../features/schedule/calendar.ts'
import { SeriesNote } from '../../features/series/series.tsx'
import { formatDayTitle, formatDuration, formatWhen } from '../../format/format.ts'
import { toIso } from '../../format/times.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { Note } from '../../parts/show/note.tsx'
import { show, view } from './grid/view.ts'
import { Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly reservation: Reservation
  /** What is taken of the machine. */
  readonly taken: readonly Taken[]
  /** The end that was drawn on the timeline. */
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

const NotBound = ({ isBusy, onBind }: { readonly isBusy: boolean; readonly onBind: () => void }): VNode => (
  <Note
    kind="warn"
    icon="lock"
    action={<Button label="Allow this computer" look="small" disabled={isBusy} onClick={onBind} />}
  >
    This computer may not connect yet.
  </Note>
)

/** Other ends that a reservation may have. */
const Ends = ({
  label,
  ends,
  now,
  isDisabled,
  onChoose,
}: {
  readonly label: string
  readonly ends: readonly number[]
  readonly now: number
  readonly isDisabled: boolean
  readonly onChoose: (end: number) => void
}): VNode | undefined => {
  if (ends.length === 0) return undefined
  return (
    <div class="field" role="group" aria-label={label}>
      <span class="label">{label}</span>
      <div class="chips">
        {ends.map((end) => (
          <button type="button" class="chip" disabled={isDisabled} onClick={() => onChoose(end)}>
            {formatWhen(end, now)}
          </button>
        ))}
      </div>
    </div>
  )
}

interface DrawnEndProps {
  readonly own: Booked
  readonly now: number
  readonly end: number | undefined
  readonly isDisabled: boolean
  readonly onExtend: (end: number) => void
  readonly onShorten: (end: number) => void
}

/** Takes the end that was drawn. */
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

/** What one may do with a reservation of one's own, or, as an administrator, with another's. */
const Controls = ({ sut, reservation, taken, end, isGivenBack }: Props): VNode => {
  const page = usePage()
  const now = page.clock.value
  const isAnswered = page.control.isAnswered.value
  const commands = useCommands(reservation._id)
  const { refused, isBusy, run } = commands
  const [until, ask] = useState<Until | undefined>(isGivenBack ? 'now' : undefined)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isRunning = from <= now && now < to
  const [connection, readConnection] = useConnection(reservation._id, isRunning)
  /** The drawn end is forgotten when it was taken. */
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
    if (!isRunning) page.lab.remove(reservation._id)
    if (isOpen(reservation._id)) close()
  }
  const bind = async (): Promise<void> => {
    if (await run('update')) readConnection()
  }
  /** Of a series that has begun, what runs is left. */
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
  const isOwn = reservation.user_id === meOf(page)._id
  return (
    <div>
      <div class="pop-body">
        <div class="result">
          <b>{isRunning ? `${formatDuration(to - now)} left` : `${formatDuration(to - from)}`}</b>
          <span class="second">{after}</span>
        </div>
        {own !== undefined && (
          <>
            <DrawnEnd {...{ own, now, end, isDisabled }} onExtend={extend} onShorten={shorten} />
            <Ends
              label="Extend to"
              ends={extensionsOf(taken, own)}
              now={now}
              isDisabled={isDisabled}
              onChoose={extend}
            />
            <Ends label="Shorten to" ends={earlierEnds(own, now)} now={now} isDisabled={isDisabled} onChoose={ask} />
          </>
        )}
        {isRunning && connection === undefined && <ReadingConnection />}
        {connection !== undefined && (
          <div class="row wrap">
            <HostPort connection={connection} />
            <ViewerFile id={reservation._id} connection={connection} />
            <UnusedNote connection={connection} />
            <PortNote connection={connection} />
          </div>
        )}
        <KeptNote id={reservation._id} end={to} />
        {isOwn && connection?.sut_type === 'vnc' && connection.host !== null && (
          <Button icon="screen" label="Open screen" look="primary" href={linkTo('screen', reservation._id)} />
        )}
        {connection?.bound_here === false && <NotBound isBusy={isBusy} onBind={bind} />}
        <SeriesNote reservation={reservation} name={sut.name} mayCancel={!isDisabled} onCancelled={onCancelled} />
        {refused !== undefined && <CommandNote refused={refused} commands={commands} />}
      </div>
      <div class="pop-foot">
        <Button label="Machine" href={linkTo('machines', sut._id)} />
        <span class="grow" />
        <Button look="danger" disabled={isDisabled} onClick={() => ask('now')}>
          {isRunning ? 'Release' : 'Cancel'}
        </Button>
      </div>
    </div>
  )
}

/** A reservation: whose, from when to when, and what may be done with it. */
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

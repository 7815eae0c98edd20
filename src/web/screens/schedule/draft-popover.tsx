import { useState } from 'preact/hooks'
import { briefOf, type Reservation, type Sut } from '../../data/objects.ts'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { RequestCard, useWaiting } from '../../features/queue/card.tsx'
import { refusalText } from '../../features/reserve/refusals.ts'
import { ReserveFields } from '../../features/reserve/reserve-fields.tsx'
import { OfflineNote, RefusalNote } from '../../features/reserve/reserve-notes.tsx'
import { bodyOf } from '../../features/reserve/wish.ts'
import type { Taken } from '../../features/schedule/calendar.ts'
import { beginOf, type Clash, clashOfDraft, type Draft, lastsOf, windowOf } from '../../features/schedule/draft.ts'
import { USUAL_TIMES, useWeekly } from '../../features/series/series.tsx'
import { DatesToBe, TimesField } from '../../features/series/series-fields.tsx'
import { draw, show } from '../../features/view/view.ts'
import {
  formatClock,
  formatCount,
  formatDayTitle,
  formatDuration,
  formatWhen,
  midnightOf,
  weekdayOf,
} from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { usePersonName } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { Name, Note, Status } from '../../parts/show/note.tsx'
import { announced } from './grid/drawn.ts'
import { Popover } from './popover.tsx'
import { Refusal } from './refusal.tsx'

interface Props {
  readonly sut: Sut
  readonly draft: Draft
  readonly taken: readonly Taken[]
}

const aboutSut = (sut: Sut): string => briefOf(sut, sut.sut_type.toUpperCase())

/** What is in the way of a draft, and how it could be changed. */
const ClashNote = ({ clash, draft, taken: all }: Pick<Props, 'draft' | 'taken'> & { readonly clash: Clash }) => {
  const now = usePage().clock.value
  const nameOf = usePersonName()
  const { with: other, taken, isTurnaround, shorter, earlier } = clash
  const who = <Name of={nameOf(other.userId)} />
  const startAt = (time: number): string => `Start at ${formatWhen(time, now)}`
  const ways: readonly (readonly [string, Draft | undefined])[] = [
    [`End at ${formatWhen(taken.from, now)}${shorter ? `, ${formatDuration(lastsOf(shorter, now))}` : ''}`, shorter],
    [earlier ? startAt(windowOf(earlier, now, all).from) : '', earlier],
    [startAt(taken.to), shorter ? undefined : { ...draft, start: taken.to }],
  ]
  return (
    <Note kind="warn">
      <div class="stack">
        {!isTurnaround ? (
          <span>
            {who} has it from {formatWhen(other.from, now)} to {formatWhen(other.to, now)}.
          </span>
        ) : other.from < windowOf(draft, now, all).from ? (
          <span>
            It is being reset until {formatWhen(taken.to, now)}, after {who}.
          </span>
        ) : (
          <span>
            {who} has it from {formatWhen(other.from, now)}, and it needs a turnaround of{' '}
            {formatDuration(other.from - taken.from)} before that.
          </span>
        )}
        <div class="chips">
          {ways.map(([text, way]) => way && <Button key={text} label={text} look="small" onClick={() => draw(way)} />)}
        </div>
      </div>
    </Note>
  )
}

/** Refusals with which the service says what can be had instead. */
const INSTEAD: ReadonlySet<string> = new Set(['reservation_conflict', 'no_sut_free'])

/** The form in which one reserves: what is chosen is drawn on the timeline at once, what is sent only on an answer. */
export const DraftPopover = ({ sut, draft, taken }: Props) => {
  const page = usePage()
  const now = page.clock.value
  const [userId, setUserId] = useState(meOf(page)._id)
  const [isWeekly, setWeekly] = useState(false)
  const command = useReservation()
  const waiting = useWaiting()
  const window = windowOf(draft, now, taken)
  // What is sent may be seen on the timeline before its answer comes.
  const clash = command.isBusy ? undefined : clashOfDraft(draft, taken, now)

  const send = (what: Draft, isBeyondQuota = false, like?: Sut) =>
    command.act('create', bodyOf(what, userId, now, isBeyondQuota, like), ({ _id }) =>
      show({ open: { kind: 'reservation', id: _id } }),
    )

  if (isWeekly)
    return <SeriesPopover {...{ sut, draft, taken, userId }} onFor={setUserId} onOnce={() => setWeekly(false)} />
  if (waiting.id !== undefined)
    return (
      <Popover key="waiting" title="You are waiting" subtitle={aboutSut(sut)}>
        <div class="pop-body">
          <RequestCard id={waiting.id} />
        </div>
      </Popover>
    )
  const { refused } = command
  if (refused !== undefined && INSTEAD.has(refused.problem.code))
    return (
      <Refusal
        key="refused"
        {...{ sut, draft, window, waiting }}
        refused={refused}
        onWait={(of) => waiting.wait({ of, length: draft.length, userId })}
        onSend={(what, like) => send(what, false, like)}
        onBack={command.forgive}
      />
    )
  const begin = beginOf(draft, now)
  const day = midnightOf(begin) === midnightOf(now) ? 'today' : formatDayTitle(begin, now)
  return (
    <Popover
      key="form"
      title={`Reserve ${sut.name}`}
      subtitle={aboutSut(sut)}
      isBusy={command.isBusy}
      onSubmit={() => clash === undefined && !command.isOff && send(draft)}
    >
      <div class="pop-body">
        <ReserveFields asked={draft} now={now} onChange={draw} userId={userId} onFor={setUserId} />
        <div class="row num result">
          <b>
            {formatClock(begin)} – {formatWhen(window.to, begin)}
          </b>
          <span class="second">
            {day}, {formatDuration(lastsOf(draft, now))}
          </span>
        </div>
        <Status class="vh">{announced(window, taken, begin)}</Status>
        <OfflineNote sut={sut} now={now} />
        {refused !== undefined && (
          <RefusalNote
            refused={refused}
            text={`${refusalText(refused.problem, window)} Nothing was booked.`}
            onBeyond={() => send(draft, true)}
          />
        )}
        {clash !== undefined && <ClashNote clash={clash} draft={draft} taken={taken} />}
      </div>
      <div class="row pop-foot">
        <CommandButton look="primary" command={command} disabled={clash !== undefined}>
          {clash === undefined ? `Reserve until ${formatWhen(window.to, now)}` : 'Reserve'}
        </CommandButton>
        {clash === undefined && <Button label="Repeat weekly…" look="quiet" onClick={() => setWeekly(true)} />}
        {clash !== undefined && <span class="small muted desk-only">Choose a free time first.</span>}
      </div>
    </Popover>
  )
}

interface SeriesPopoverProps extends Props {
  readonly userId: string
  readonly onFor: (userId: string) => void
  readonly onOnce: () => void
}

const SeriesPopover = ({ sut, draft, taken, userId, onFor, onOnce }: SeriesPopoverProps) => {
  const now = usePage().clock.value
  const window = windowOf(draft, now, taken)
  const [times, setTimes] = useState(USUAL_TIMES)
  const onDone = ([made]: readonly Reservation[]): void => show({ open: made && { kind: 'reservation', id: made._id } })
  const weekly = useWeekly({ sut, window, userId, times, onDone })
  const { command, first, isFree, reserve } = weekly
  const title = `Reserve ${sut.name} weekly`
  const subtitle = `Every ${weekdayOf(first.from)}, ${formatClock(first.from)} – ${formatWhen(first.to, first.from)}`
  return (
    <Popover key="series" title={title} subtitle={subtitle} isBusy={command.isBusy} onSubmit={() => reserve()}>
      <div class="pop-body">
        <TimesField first={first} times={times} onChange={setTimes} />
        <ReserveFields asked={draft} now={now} onChange={draw} userId={userId} onFor={onFor} />
        <OfflineNote sut={sut} now={now} />
        <DatesToBe weekly={weekly} onTimes={setTimes} />
      </div>
      <div class="row pop-foot">
        <CommandButton look="primary" command={command} disabled={!isFree}>
          Reserve {formatCount(times, 'time')}
        </CommandButton>
        <Button label="Do not repeat" look="quiet" onClick={onOnce} />
      </div>
    </Popover>
  )
}

import { useState } from 'preact/hooks'
import type { Reservation, Sut } from '../../data/objects.ts'
import { ForField, LengthField, StartField } from '../../features/reserve/reserve-fields.tsx'
import { OfflineNote, RefusalNote } from '../../features/reserve/reserve-notes.tsx'
import type { Taken } from '../../features/schedule/calendar.ts'
import { type Draft, windowOf } from '../../features/schedule/draft.ts'
import { DatesToBe, TimesField } from '../../features/series/series-fields.tsx'
import { seriesRefusalText } from '../../features/series/series-refusals.ts'
import { USUAL_TIMES, useWeekly } from '../../features/series/use-series.ts'
import { close, draw, show } from '../../features/view/view.ts'
import { formatClock, formatCount, formatWhen, weekdayOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly draft: Draft
  readonly taken: readonly Taken[]
  readonly userId: string
  readonly onFor: (userId: string) => void
  readonly anchor: () => Element | null
  readonly onOnce: () => void
}

export const SeriesPopover = (props: Props) => {
  const { sut, draft, taken, userId, onFor, anchor, onOnce } = props
  const page = usePage()
  const me = meOf(page)
  const now = page.clock.value
  const window = windowOf(draft, now, taken)
  const [times, setTimes] = useState(USUAL_TIMES)
  const onDone = ([made]: readonly Reservation[]): void => show({ open: made && { kind: 'reservation', id: made._id } })
  const { command, first, dates, isFree, reserve } = useWeekly({ sut, window, userId, times, onDone })
  const { refused } = command
  const title = `Reserve ${sut.name} weekly`
  const subtitle = `Every ${weekdayOf(first.from)}, ${formatClock(first.from)} – ${formatWhen(first.to, first.from)}`
  return (
    <Popover key="series" title={title} subtitle={subtitle} anchor={anchor} onClose={close} onSubmit={() => reserve()}>
      {command.isBusy && <div class="pop-progress" role="progressbar" aria-label="Reserving" />}
      <div class="pop-body">
        <TimesField first={first} times={times} onChange={setTimes} />
        <StartField asked={draft} now={now} onChange={draw} />
        <LengthField asked={draft} onChange={draw} />
        {me.role === 'administrator' && <ForField userId={userId} onChoose={onFor} />}
        <OfflineNote sut={sut} now={now} />
        <DatesToBe reading={dates} onTimes={setTimes} />
        {refused !== undefined && (
          <RefusalNote refused={refused} text={seriesRefusalText(refused.problem)} onBeyond={() => reserve(true)} />
        )}
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

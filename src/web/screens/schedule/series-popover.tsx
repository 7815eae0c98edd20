import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { ForField, LengthField, StartField } from '../../features/reserve/fields.tsx'
import type { Taken } from '../../features/schedule/calendar.ts'
import { type Draft, windowOf } from '../../features/schedule/draft.ts'
import { Dates, Fewer, TimesField } from '../../features/series/fields.tsx'
import { USUAL_TIMES, useWeekly } from '../../features/series/use-weekly.ts'
import { formatClock, formatCount, formatWhen, weekdayOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { show } from './grid/view.ts'
import { Popover } from './popover.tsx'
import { SeriesRefusal } from './series-refusal.tsx'

interface Props {
  readonly sut: Sut
  readonly draft: Draft
  readonly taken: readonly Taken[]
  readonly userId: string
  readonly onFor: (userId: string) => void
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
  readonly onOnce: () => void
}

const change = (draft: Draft): void => show({ open: { kind: 'draft', draft } })
const close = (): void => show({ open: undefined })

export const SeriesPopover = (props: Props): VNode => {
  const { sut, draft, taken, userId, onFor, nameOf, anchor, onOnce } = props
  const page = usePage()
  const me = meOf(page)
  const now = page.clock.value
  const isAnswered = page.control.isAnswered.value
  const window = windowOf(draft, now, taken)
  const [times, setTimes] = useState(USUAL_TIMES)
  const weekly = useWeekly({ sut, window, userId, times, onDone: close })
  const { first, occurrences, failed, isFree, isSending, refused, send } = weekly
  if (refused !== undefined)
    return (
      <SeriesRefusal
        key="refused"
        {...{ sut, anchor, nameOf }}
        refused={refused}
        onSend={send}
        onBack={weekly.forget}
        onClose={close}
      />
    )
  const title = `Reserve ${sut.name} weekly`
  const subtitle = `Every ${weekdayOf(first.from)}, ${formatClock(first.from)} – ${formatWhen(first.to, first.from)}`
  return (
    <Popover key="series" title={title} subtitle={subtitle} anchor={anchor} onClose={close} onSubmit={() => send()}>
      {isSending && <div class="pop-progress" role="progressbar" aria-label="Reserving" />}
      <div class="pop-body">
        <TimesField first={first} times={times} onChange={setTimes} />
        <StartField asked={draft} now={now} onChange={change} />
        <LengthField asked={draft} onChange={change} />
        {me.role === 'administrator' && <ForField userId={userId} onChoose={onFor} />}
        {occurrences === undefined ? (
          <p class="muted" role="status">
            {failed === undefined ? 'Checking the dates' : `The dates could not be loaded: ${failed.message}`}
          </p>
        ) : (
          <>
            <Dates occurrences={occurrences} nameOf={nameOf} />
            <Fewer occurrences={occurrences} onTimes={setTimes} />
          </>
        )}
      </div>
      <div class="pop-foot">
        <Button look="primary" type="submit" disabled={!isFree || isSending || !isAnswered}>
          Reserve {formatCount(times, 'time')}
        </Button>
        <Button label="Do not repeat" look="quiet" onClick={onOnce} />
      </div>
    </Popover>
  )
}

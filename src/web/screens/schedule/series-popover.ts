import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { createSeries } from '../../holding/series.ts'
import type { Sut } from '../../live/objects.ts'
import { meOf, usePage } from '../../page/context.ts'
import { useIsMounted } from '../../page/mounted.ts'
import { html } from '../../parts/html.ts'
import { useStore } from '../../parts/store.ts'
import { ForField, LengthField, StartField } from '../../reserving/fields.ts'
import { makeKeys, type Outcome } from '../../reserving/request.ts'
import { Dates, firstOf, seriesBodyOf, TimesField, useOccurrences } from '../../reserving/series.ts'
import { Refused } from '../../service/api.ts'
import type { Taken } from '../../timeline/calendar.ts'
import { type Draft, windowOf } from '../../timeline/draft.ts'
import { type Occurrence, TIMES_MIN } from '../../timeline/series.ts'
import { clockOf, weekdayOf } from '../../timeline/times.ts'
import { show } from './grid/view.ts'
import { Popover } from './popover.ts'
import { SeriesRefusal } from './series-refusal.ts'

interface Props {
  readonly sut: Sut
  readonly draft: Draft
  readonly taken: readonly Taken[]
  readonly userId: string
  readonly onFor: (userId: string) => void
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
  /** Back to a single reservation. */
  readonly onOnce: () => void
}

/** Two months. */
const USUAL_TIMES = 8

const change = (draft: Draft): void => show({ open: { kind: 'draft', draft } })
const close = (): void => show({ open: undefined })

/** Offers the dates before the first one that is taken: a series is reserved whole or not at all. */
const Fewer = ({
  occurrences,
  onTimes,
}: {
  readonly occurrences: readonly Occurrence[]
  readonly onTimes: (times: number) => void
}): VNode | undefined => {
  const free = occurrences.findIndex(({ taken }) => taken !== undefined)
  if (free === -1) return undefined
  return html`<div class="row wrap small"><span class="second grow">It is reserved for all dates or for none.</span>
    ${free >= TIMES_MIN && html`<button type="button" class="btn small" onClick=${() => onTimes(free)}>Only the first ${free}</button>`}
  </div>`
}

/** The form in which one reserves the same time every week, with the dates and what is in their way. */
export const SeriesPopover = (props: Props): VNode => {
  const { sut, draft, taken, userId, onFor, nameOf, anchor, onOnce } = props
  const page = usePage()
  const me = meOf(page)
  const now = useStore(page.clock)
  const isAnswered = useStore(page.control.reach, (reach) => reach.isAnswered)
  const [times, setTimes] = useState(USUAL_TIMES)
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'idle' })
  const keys = useMemo(makeKeys, [])
  const isMounted = useIsMounted()
  const window = windowOf(draft, now, taken)
  const first = firstOf(window)
  const { occurrences, failed } = useOccurrences(sut, window, times)
  const isFree = occurrences?.every((each) => each.taken === undefined) ?? false
  const isSending = outcome.kind === 'sending'
  const send = async (isBeyondQuota = false): Promise<void> => {
    if (isSending || !isFree || !isAnswered) return
    setOutcome({ kind: 'sending', since: Date.now() })
    const beyond = isBeyondQuota ? ({ beyond_quota: true } as const) : {}
    const body = seriesBodyOf(sut._id, first, times, { user_id: userId, ...beyond })
    const refused = await createSeries(page, body, keys.keyFor(body))
    if (!isMounted()) return
    if (refused instanceof Refused) setOutcome({ kind: 'refused', refused })
    else close()
  }
  if (outcome.kind === 'refused') {
    const back = (): void => setOutcome({ kind: 'idle' })
    return html`<${SeriesRefusal} key="refused" ...${{ sut, anchor, nameOf, times }} refused=${outcome.refused} onSend=${send} onBack=${back} onClose=${close} />`
  }
  const title = `Reserve ${sut.name} weekly`
  const subtitle = `Every ${weekdayOf(first.from)}, ${clockOf(first.from)} – ${clockOf(first.to)}`
  return html`<${Popover} key="series" title=${title} subtitle=${subtitle} anchor=${anchor} onClose=${close} onSubmit=${() => send()}>
    ${isSending && html`<div class="pop-progress" role="progressbar" aria-label="Reserving"></div>`}
    <div class="pop-body">
      <${TimesField} first=${first} times=${times} onChange=${setTimes} />
      <${StartField} asked=${draft} now=${now} onChange=${change} />
      <${LengthField} asked=${draft} onChange=${change} />
      ${me.role === 'administrator' && html`<${ForField} userId=${userId} onChoose=${onFor} />`}
      ${occurrences === undefined ? html`<p class="muted" role="status">${failed === undefined ? 'Looking at the dates' : `The dates could not be read: ${failed.message}`}</p>` : html`<${Dates} occurrences=${occurrences} nameOf=${nameOf} /><${Fewer} occurrences=${occurrences} onTimes=${setTimes} />`}
    </div>
    <div class="pop-foot">
      <button type="submit" class="btn primary" disabled=${!isFree || isSending || !isAnswered}>Reserve ${times} times</button>
      <button type="button" class="btn quiet" onClick=${onOnce}>Once only</button>
    </div>
  <//>`
}

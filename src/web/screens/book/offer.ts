import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { timeOn } from '../../holding/extend.ts'
import type { Sut } from '../../live/objects.ts'
import { RETRY_DELAY_MS } from '../../live/reading.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import type { Reading } from '../../page/reading.ts'
import { html } from '../../parts/html.ts'
import { Icon } from '../../parts/icon.ts'
import { FailedBlock } from '../../parts/state.ts'
import { useStore } from '../../parts/store.ts'
import type { Available } from '../../reserving/available.ts'
import { refusalText } from '../../reserving/refusals.ts'
import type { Wish } from '../../reserving/wish.ts'
import type { Refused } from '../../service/api.ts'
import type { Stretch } from '../../timeline/calendar.ts'
import { windowOf } from '../../timeline/draft.ts'
import { ChoiceList } from './choice-list.ts'
import { type Choice, type Chosen, choicesOf, chose, chosenOf } from './choices.ts'
import { type Made, useBooking } from './use-booking.ts'

interface Props {
  readonly wish: Wish
  /** Machines that fit. */
  readonly fitting: readonly Sut[]
  /** How many machines there are. */
  readonly count: number
  readonly reading: Reading<Available>
  readonly userId: string
  readonly keepalive: number | undefined
}

const Done = ({
  made: { name, from, to },
  userId,
  onAnother,
}: {
  readonly made: Made
  readonly userId: string
  readonly onAnother: () => void
}): VNode => {
  const page = usePage()
  const now = useStore(page.clock)
  const people = useStore(page.lab.lab, (lab) => lab.people)
  const isOwn = userId === meOf(page)._id
  const start = from > now ? ` from ${timeOn(from, now)}` : ''
  const whose = isOwn ? 'is yours' : html`is reserved for <bdi>${people.get(userId)?.name ?? userId}</bdi>`
  return html`<div class="note ok" role="status"><${Icon} name="check" /><span><b class="medium"><bdi>${name}</bdi></b>${' '}${whose}${start} until ${timeOn(to, now)}.</span></div>
    <div class="row">
      ${isOwn && html`<a class="btn primary" href=${linkTo('mine')}>Open</a>`}
      <button type="button" class="btn" onClick=${onAnother}>Reserve another</button>
    </div>`
}

/** Why no machine can be had. */
const noneText = (fitting: readonly Sut[]): string => {
  if (fitting.length === 0) return 'No machine is like that. Choose fewer criteria.'
  const inactive = fitting.filter(({ is_active }) => !is_active).length
  const offline = fitting.filter(({ is_active, monitoring }) => is_active && monitoring.status === 'Offline').length
  const out = [inactive > 0 ? `${inactive} inactive` : '', offline > 0 ? `${offline} offline` : '']
  const text = out.filter((part) => part !== '').join(', ')
  if (inactive + offline === fitting.length) return `None of them can be reserved: ${text}.`
  return `None of them is free for that long in the next 31 days${text === '' ? '' : ` (${text})`}.`
}

/** Why it was not booked. That another was faster is said with what is named instead. */
const RefusalNote = ({
  refused: { problem },
  window,
  onBeyond,
}: {
  readonly refused: Refused
  readonly window: Stretch
  readonly onBeyond: (() => void) | undefined
}): VNode => html`<div class="note danger" role="alert"><${Icon} name="warning" /><div class="stack">
  <span>${refusalText(problem, window)} Nothing was booked.</span>
  ${problem.code === 'quota_exceeded' && onBeyond && html`<div><button type="button" class="btn small" onClick=${onBeyond}>Reserve beyond the quota</button></div>`}
  ${problem.instance !== undefined && html`<details class="small muted"><summary>Details</summary><span class="mono">${problem.code} ${problem.instance}</span></details>`}
</div></div>`

const Skeleton = (): VNode => html`<div class="choices" aria-busy="true">
  <span class="vh" role="status">Loading</span>
  ${[0, 1].map((n) => html`<div key=${n} class="choice"><span class="sk sk-name"></span></div>`)}
</div>`

const countText = ({ fitting, count, wish }: Props, found: Available | undefined): string => {
  if (found === undefined) return `${fitting.length} of ${count} fit`
  const { free, hasMore } = found
  const many = free.length === 0 ? 'none' : hasMore ? `over ${free.length}` : String(free.length)
  return `${fitting.length} of ${count} fit, ${many} free ${wish.start === 'now' ? 'now' : 'then'}`
}

/** What would be taken, and taking it. */
export const Offer = (props: Props): VNode => {
  const { wish, fitting, reading, userId, keepalive } = props
  const page = usePage()
  const now = useStore(page.clock)
  const isAnswered = useStore(page.control.reach, (reach) => reach.isAnswered)
  const [lost, setLost] = useState<{ readonly of: Available | undefined; readonly sutId: string } | undefined>(
    undefined,
  )
  const chosen = useRef<Chosen | undefined>(undefined)
  const [, redraw] = useState({})
  const found = reading.value
  const { outcome, made, book, again } = useBooking({
    ...{ userId, keepalive },
    onRefused: (sutId) => {
      // What was read is older than that.
      if (sutId !== undefined) setLost({ of: found, sutId })
      reading.retry()
    },
  })
  const refused = outcome.kind === 'refused' ? outcome.refused : undefined
  const isTaken = refused?.problem.code === 'reservation_conflict'
  const choices = found === undefined ? [] : choicesOf(found, wish, now, lost?.of === found ? lost?.sutId : undefined)
  if (found !== undefined && made === undefined) chosen.current = chosenOf(chosen.current, choices)
  const choose = (choice: Choice): void => {
    chosen.current = chose(choice)
    redraw({})
  }
  const named = choices.find(({ key }) => key === chosen.current?.key)
  const before = chosen.current?.before
  const another = (): void => {
    chosen.current = undefined
    again()
  }
  const isAdministrator = meOf(page).role === 'administrator'
  const content = (): VNode => {
    if (made !== undefined) return html`<${Done} made=${made} userId=${userId} onAnother=${another} />`
    if (found === undefined)
      return reading.failed === undefined
        ? html`<${Skeleton} />`
        : html`<${FailedBlock} title="What is free could not be loaded" failed=${reading.failed} seconds=${RETRY_DELAY_MS / 1_000} onRetry=${reading.retry} />`
    return html`
      ${before !== undefined && html`<div class="note warn" role="alert"><${Icon} name="warning" /><span><b class="medium"><bdi>${before}</bdi></b> is no longer free.${isTaken && ' Nothing was booked.'}</span></div>`}
      ${choices.length === 0 ? html`<p role="status">${noneText(fitting)}</p>` : html`<${ChoiceList} choices=${choices} chosen=${named?.key} onChoose=${choose} />`}
      ${refused !== undefined && !isTaken && html`<${RefusalNote} refused=${refused} window=${named === undefined ? found.window : windowOf(named.asked, now, [])} onBeyond=${isAdministrator && named && (() => book(named, true))} />`}
      ${
        named &&
        html`<button type="button" class="btn primary wide" disabled=${outcome.kind === 'sending' || !isAnswered} onClick=${() => book(named)}>
        <span class="clip">Reserve <bdi>${named.offer.name}</bdi></span><span class="nowrap">${named.offer.from > now ? `from ${timeOn(named.offer.from, now)} ` : ''}until ${timeOn(named.offer.to, now)}</span></button>
        <p class="small muted">If somebody is faster, nothing is booked, and the next one is named.</p>`
      }
      ${outcome.kind === 'sending' && html`<div class="pop-progress" role="progressbar" aria-label="Reserving"></div>`}
    `
  }
  return html`<section class="stack offer" aria-labelledby="offer">
    <div class="row"><h2 class="grow" id="offer">You would get</h2><span class="small muted" role="status">${countText(props, found)}</span></div>
    ${content()}
  </section>`
}

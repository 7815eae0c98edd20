import type { ComponentChildren } from 'preact'
import { daysOf, minuteAt, type Span } from '../../../features/schedule/span.ts'
import { formatClock, formatDay, HOUR, MINUTE, midnightOf, weekdayOf } from '../../../format/format.ts'

interface Props {
  readonly span: Span
  readonly now: number
}

const hoursOf = ({ from, to }: Span): readonly number[] =>
  Array.from({ length: Math.round((to - from) / HOUR) }, (_, n) => from + n * HOUR)

/** Where the pill of now would cover what an hour is called, in minutes around it: an hour is narrower on phones. */
const UNDER_CLOCK = [['under-d', 12, 30] as const, ['under-p', 21, 36] as const]
const UNDER_DATE = [['under-d', 30, 42] as const, ['under-p', 45, 62] as const]

const Ticks = ({ span, now }: Props) => {
  if (span.zoom === 'day')
    return hoursOf(span).map((hour) => {
      const isMidnight = hour === midnightOf(hour)
      const covered = (isMidnight ? UNDER_DATE : UNDER_CLOCK)
        .filter(([, middle, far]) => Math.abs(hour - now + middle * MINUTE) < far * MINUTE)
        .map(([name]) => ` ${name}`)
        .join('')
      const text = isMidnight ? <b>{formatDay(hour)}</b> : formatClock(hour)
      return (
        <span class={`tick${covered}`} role="columnheader" style={{ '--a': minuteAt(span, hour) }}>
          {text}
        </span>
      )
    })
  return daysOf(span).map((day) => {
    const date = new Date(day).getDate()
    const name = weekdayOf(day).slice(0, span.zoom === 'week' ? 3 : 2)
    return (
      <span
        class={day === midnightOf(now) ? 'tick day today' : 'tick day'}
        role="columnheader"
        style={{ '--a': minuteAt(span, day) }}
      >
        {name} <b>{date}</b>
      </span>
    )
  })
}

/** The hours or days, and in the corner what the rows are. */
export const Axis = ({ span, now, children }: Props & { readonly children: ComponentChildren }) => {
  const isNow = span.zoom === 'day' && span.from <= now && now < span.to
  return (
    <div class="tl-axis" role="row" aria-rowindex={1}>
      <div class="row tl-corner small muted" role="columnheader">
        <span class="grow">{children}</span>
        {span.zoom === 'month' ? 'Hours reserved' : 'Free for'}
      </div>
      <div class="tl-ticks">
        <Ticks span={span} now={now} />
        {isNow && <span class="tl-now-pill">{formatClock(now)}</span>}
      </div>
    </div>
  )
}

/** Shaded weekends, the past and the line of now: one element each for the whole grid. */
export const Backdrop = ({ span, now }: Props) => {
  const days = span.zoom === 'day' ? [] : daysOf(span)
  const weekends = days.filter((day) => [0, 6].includes(new Date(day).getDay()))
  const isNow = span.zoom !== 'month' && span.from <= now && now < span.to
  return (
    <div>
      <div class="tl-grid" />
      {weekends.map((day) => (
        <div class="tl-weekend" style={{ '--a': minuteAt(span, day), '--d': 1_440 }} />
      ))}
      <div class="tl-past" />
      {isNow && <div class="tl-now" />}
    </div>
  )
}

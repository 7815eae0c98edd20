import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { firstOfMonth, formatDayTitle, midnightOf, monthOf, weekdayOf } from '../../format/format.ts'
import { currentTime } from '../../service/time.ts'
import { IconButton } from '../button.tsx'
import { placeBeside } from '../floating.ts'
import { isFocusLost } from '../focus.ts'

/** Any of them: weeks begin with it. */
const MONDAY = new Date(2024, 0, 1).getTime()

/** How many days of its week are before a day. */
const daysBefore = (day: number): number => (new Date(day).getDay() + 6) % 7

/** The days of a month by weeks; those of other months are undefined. */
const weeksOf = (day: number): readonly (readonly (number | undefined)[])[] => {
  const [first, next] = [firstOfMonth(day), firstOfMonth(day, 1)]
  const before = daysBefore(first)
  const weeks = Math.ceil((before + new Date(next - 1).getDate()) / 7)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, n) => {
      const each = midnightOf(first, 7 * week + n - before)
      return each < first || each >= next ? undefined : each
    }),
  )
}

/** The same date some months later, or the last one of a month that is too short for it. */
const monthsLater = (day: number, count: number): number => {
  const last = midnightOf(firstOfMonth(day, count + 1), -1)
  return Math.min(midnightOf(firstOfMonth(day, count), new Date(day).getDate() - 1), last)
}

/** The day that a key leads to; undefined for other keys. */
const dayAfterKey = (day: number, { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>) => {
  const months = { PageUp: -1, PageDown: 1 }[key]
  if (months !== undefined) return monthsLater(day, shiftKey ? 12 * months : months)
  const days = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
    ...{ Home: -daysBefore(day), End: 6 - daysBefore(day) },
  }[key]
  return days === undefined ? undefined : midnightOf(day, days)
}

interface MonthProps {
  /** A time of the day that is chosen; undefined for none. */
  readonly chosen: number | undefined
  /** Times of the first and the last day that may be chosen. */
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** Called with the midnight of a day. */
  readonly onDay: (day: number) => void
}

const WEEKDAYS = Array.from({ length: 7 }, (_, n) => weekdayOf(midnightOf(MONDAY, n)))

const Month = ({ chosen, min, max, onDay }: MonthProps) => {
  const today = midnightOf(currentTime())
  const within = (day: number): number => {
    const early = max === undefined ? day : Math.min(day, midnightOf(max))
    return min === undefined ? early : Math.max(early, midnightOf(min))
  }
  const [at, setAt] = useState(() => within(midnightOf(chosen ?? today)))
  const grid = useRef<HTMLDivElement>(null)
  // The day that had the focus may be gone with its month. A button beside the month keeps it.
  useLayoutEffect(() => {
    if (isFocusLost() || grid.current?.contains(document.activeElement))
      grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }, [at])
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = dayAfterKey(at, event)
    if (next === undefined) return
    event.preventDefault()
    setAt(within(next))
  }
  const step = (count: number, label: string) => (
    <IconButton
      {...{ label, icon: count < 0 ? 'left' : 'right', look: 'quiet' }}
      onClick={() => setAt(within(monthsLater(at, count)))}
    />
  )
  const title = `${monthOf(at)} ${new Date(at).getFullYear()}`
  const cell = (day: number) => (
    <button
      key={day}
      type="button"
      role="gridcell"
      class="num"
      tabindex={day === at ? 0 : -1}
      aria-label={formatDayTitle(day, today)}
      aria-current={day === today ? 'date' : undefined}
      aria-selected={chosen !== undefined && day === midnightOf(chosen)}
      disabled={day !== within(day)}
      onClick={() => onDay(day)}
    >
      {new Date(day).getDate()}
    </button>
  )
  return (
    <div>
      <div class="row">
        {step(-1, 'Previous month')}
        <h2 class="grow" aria-live="polite">
          {title}
        </h2>
        {step(1, 'Next month')}
      </div>
      <div role="grid" aria-label={title} ref={grid} onKeyDown={onKeyDown}>
        <div role="row">
          {WEEKDAYS.map((name) => (
            <span key={name} class="small muted" role="columnheader" aria-label={name}>
              {name.slice(0, 2)}
            </span>
          ))}
        </div>
        {weeksOf(at).map((week) => (
          <div key={week.find(Number)} role="row">
            {week.map((day) => (day === undefined ? <span role="gridcell" /> : cell(day)))}
          </div>
        ))}
      </div>
    </div>
  )
}

interface CalendarProps extends MonthProps {
  readonly label: string
  readonly button: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

/** The date picker dialog of the ARIA Authoring Practices. */
const Calendar = ({ label, button, onDay, onClose, ...month }: CalendarProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    if (current === null || button.current === null) return undefined
    current.showModal()
    current.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    return placeBeside(current, button.current, 4)
  }, [])
  // The browser then gives the focus back to the button.
  const close = (): void => dialog.current?.close()
  const take = (day: number): void => {
    close()
    onDay(day)
  }
  return (
    <dialog
      class="pop calendar"
      ref={dialog}
      aria-label={label}
      // What the field is in closes with Escape, too.
      onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
      onClick={({ target }: Event) => target === dialog.current && close()}
      onClose={onClose}
    >
      <Month {...month} onDay={take} />
    </dialog>
  )
}

interface Props extends MonthProps {
  /** What is chosen, in a sentence: `the first day`. */
  readonly what: string
  readonly class?: string
  /** The field in which that can also be typed. */
  readonly children: ComponentChildren
}

/** A field with a button that opens a month. */
export const DayPicker = ({ what, class: place = '', children, ...month }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLElement>(null)
  const label = `Choose ${what}`
  return (
    <span class={`dated ${place}`}>
      {children}
      <IconButton
        {...{ label, icon: 'calendar', look: 'quiet', ref: button }}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {isOpen && <Calendar {...{ ...month, label, button }} onClose={() => setOpen(false)} />}
    </span>
  )
}

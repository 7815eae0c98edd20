import { atClockOf, formatDate, formatMoment } from '../../format/format.ts'
import { type Direction, parseDay, parsePast } from '../../format/parse.ts'
import { currentTime } from '../../service/time.ts'
import { Input } from '../field.tsx'
import { useTyped } from '../use-typed.ts'
import { DayPicker } from './day-picker.tsx'

interface DayProps {
  readonly id?: string
  readonly label: string
  /** Its midnight; undefined for none. */
  readonly day: number | undefined
  /** The day near which one is typed, and whether on from there or back. */
  readonly near: number
  readonly direction: Direction
  /** The last day that may be chosen, on from there. */
  readonly max?: number | undefined
  readonly onDay: (day: number | undefined) => void
}

/** A day, as one types it: `Mon`, `30 Nov`, `30 Nov 2026`. */
export const DayInput = ({ id, label, day, near, direction, max, onDay }: DayProps) => {
  const { forget, field } = useTyped(day === undefined ? '' : formatDate(day), (text) => {
    const typed = parseDay(text, near, direction)
    const isTaken = typed !== undefined || text.trim() === ''
    if (isTaken) onDay(typed)
    return isTaken
  })
  const choose = (chosen: number): void => {
    forget()
    onDay(chosen)
  }
  const bounds = direction === 1 ? { min: near, max } : { max: near }
  return (
    <DayPicker class="day" what={`the ${label.toLowerCase()}`} chosen={day} {...bounds} onDay={choose}>
      <Input
        {...{ ...field, id, label, class: 'num', placeholder: label, maxlength: 24 }}
        title={`${label}, such as Mon or 30 Nov`}
      />
    </DayPicker>
  )
}

interface PastProps {
  readonly id: string
  readonly label?: string
  /** As it was typed, such as `Mon 9:30` or `24 Nov 2026 09:30:15`. */
  readonly value: string
  readonly autofocus?: boolean
  readonly disabled?: boolean
  readonly onInput: (value: string) => void
}

/** A time that is over, to the second. Choosing another day leaves the time of day. */
export const PastInput = ({ value, onInput, ...rest }: PastProps) => {
  const now = currentTime()
  const time = parsePast(value, now) ?? now
  const choose = (day: number): void => onInput(formatMoment(Math.min(atClockOf(time, day), now)))
  return (
    <DayPicker what="the day" chosen={time} max={now} onDay={choose}>
      <Input {...rest} class="num" maxlength={32} value={value} onInput={onInput} />
    </DayPicker>
  )
}

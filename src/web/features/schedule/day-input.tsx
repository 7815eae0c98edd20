import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { formatDate } from '../../format/format.ts'
import { type Direction, parseDay } from '../../format/parse.ts'

interface Props {
  readonly id?: string
  readonly label: string
  /** Its midnight; undefined for none. */
  readonly day: number | undefined
  /** The day near which one is typed, and whether on from there or back. */
  readonly near: number
  readonly direction: Direction
  readonly onDay: (day: number | undefined) => void
}

/** A day, as one types it: `Mon`, `30 Nov`, `30 Nov 2026`. What is none stays until it is corrected. */
export const DayInput = ({ id, label, day, near, direction, onDay }: Props): VNode => {
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const take = ({ target }: Event): void => {
    const { value } = target as HTMLInputElement
    const typed = parseDay(value, near, direction)
    const isWrong = typed === undefined && value.trim() !== ''
    setWrong(isWrong ? value : undefined)
    if (!isWrong) onDay(typed)
  }
  return (
    <input
      id={id}
      class="input num day"
      aria-label={label}
      title={`${label}, such as Mon or 30 Nov`}
      placeholder={label}
      autocomplete="off"
      maxlength={24}
      aria-invalid={wrong !== undefined}
      value={wrong ?? (day === undefined ? '' : formatDate(day))}
      onChange={take}
    />
  )
}

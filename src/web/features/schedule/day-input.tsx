import { formatDate } from '../../format/format.ts'
import { type Direction, parseDay } from '../../format/parse.ts'
import { Input } from '../../parts/field.tsx'
import { useTyped } from '../../parts/use-typed.ts'

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

/** A day, as one types it: `Mon`, `30 Nov`, `30 Nov 2026`. */
export const DayInput = ({ id, label, day, near, direction, onDay }: Props) => {
  const { field } = useTyped(day === undefined ? '' : formatDate(day), (text) => {
    const typed = parseDay(text, near, direction)
    const isTaken = typed !== undefined || text.trim() === ''
    if (isTaken) onDay(typed)
    return isTaken
  })
  return (
    <Input
      {...{ ...field, id, label, class: 'num day', placeholder: label, maxlength: 24 }}
      title={`${label}, such as Mon or 30 Nov`}
    />
  )
}

import { floorQuarter } from '../../features/schedule/calendar.ts'
import { type Asked, beginOf } from '../../features/schedule/draft.ts'
import { formatRelativeDay, midnightOf } from '../../format/format.ts'
import { SelectField } from '../../parts/choose/select.tsx'

interface Props<A extends Asked> {
  readonly asked: A
  readonly now: number
  readonly onChange: (asked: A) => void
}

/** Days that are offered: as far as one sees what is free. A later one can be typed. */
const DAYS = 31

/** The day of the start, with the same time of day. */
export const DayField = <A extends Asked>({ asked, now, onChange }: Props<A>) => {
  const begin = beginOf(asked, now)
  const days = new Set(Array.from({ length: DAYS }, (_, n) => midnightOf(now, n)).concat(midnightOf(begin)))
  const take = (day: string): void => {
    const clock = new Date(floorQuarter(begin))
    const time = new Date(Number(day)).setHours(clock.getHours(), clock.getMinutes())
    onChange({ ...asked, start: time <= now ? 'now' : time })
  }
  return (
    <SelectField
      id="day"
      label="Day"
      value={String(midnightOf(begin))}
      options={[...days].map((day) => [String(day), formatRelativeDay(day, now)])}
      onChange={take}
    />
  )
}

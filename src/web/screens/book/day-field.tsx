import type { VNode } from 'preact'
import { fromLocal, toLocal } from '../../features/past/local.ts'
import { floorQuarter } from '../../features/schedule/calendar.ts'
import { type Asked, beginOf } from '../../features/schedule/draft.ts'

interface Props<A extends Asked> {
  readonly asked: A
  readonly now: number
  readonly onChange: (asked: A) => void
}

const dayOf = (time: number): string => toLocal(time).slice(0, 10)

/** The day of the start, with the same time of day. */
export const DayField = <A extends Asked>({ asked, now, onChange }: Props<A>): VNode => {
  const begin = beginOf(asked, now)
  const take = ({ target }: Event): void => {
    const time = fromLocal(`${(target as HTMLInputElement).value}${toLocal(floorQuarter(begin)).slice(10)}`)
    if (time !== undefined) onChange({ ...asked, start: time <= now ? 'now' : time })
  }
  return (
    <div class="field">
      <label for="day">Day</label>
      <input id="day" class="input" type="date" min={dayOf(now)} value={dayOf(begin)} onChange={take} />
    </div>
  )
}

import { type Sut, takenOf } from '../../data/objects.ts'
import { formatCount, formatDay, formatWhen, midnightOf, toIso } from '../../format/format.ts'
import { usePersonName, useReserved } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { DayInput } from '../../parts/choose/day-input.tsx'
import { Input } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/show/note.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import type { Refused } from '../../service/api.ts'
import { floorQuarter, type Stretch } from '../schedule/calendar.ts'
import { type Occurrence, occurrencesOf, TIMES_MAX, TIMES_MIN, timesUntil, weekly } from './dates.ts'

/** The same window every week: how often, and which of its dates are taken. */

export const firstOf = ({ from, to }: Stretch): Stretch => ({ from: floorQuarter(from), to })

/** What is sent for it. The service works out the dates, in the browser's zone. */
export const seriesBodyOf = (
  sutId: string,
  first: Stretch,
  times: number,
  more: { readonly user_id: string; readonly beyond_quota?: true },
): object => ({
  ...more,
  sut_id: sutId,
  start_time: toIso(first.from),
  end_time: toIso(first.to),
  rrule: `FREQ=WEEKLY;COUNT=${times}`,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
})

interface ReadDates {
  /** The dates, with what is in the way of each; undefined until that was read. The service is the judge. */
  readonly occurrences: readonly Occurrence[] | undefined
  readonly failed: Refused | undefined
}

/** `window` is what would be held first: after a release it may begin within a quarter, which later ones do not. */
export const useOccurrences = (sut: Sut, window: Stretch, times: number): ReadDates => {
  const first = firstOf(window)
  const day = midnightOf(first.from, -1)
  // A year and what the longest reservation may add, so that another number of dates is known at once.
  const span = { from: day, to: midnightOf(day, 7 * (TIMES_MAX + 2)) }
  const { value, failed } = useReserved(span, [sut._id])
  return {
    occurrences: value && occurrencesOf([window, ...weekly(first, times).slice(1)], takenOf(sut, value.get(sut._id))),
    failed,
  }
}

interface TimesProps {
  readonly first: Stretch
  readonly times: number
  readonly onChange: (times: number) => void
}

const within = (times: number): number => Math.min(TIMES_MAX, Math.max(TIMES_MIN, times))

/** How many dates, or until which day: one follows from the other. */
export const TimesField = ({ first, times, onChange }: TimesProps) => {
  const last = weekly(first, times).at(-1)?.from ?? first.from
  const { field } = useTyped(String(times), (text) => {
    if (text !== '') onChange(within(Math.round(Number(text))))
    return true
  })
  return (
    <div class="field">
      <label for="times">
        Weekly<span class="vh">, times</span>
      </label>
      <div class="row">
        <Input
          {...{ ...field, id: 'times', class: 'minutes', type: 'number', inputmode: 'numeric' }}
          {...{ min: TIMES_MIN, max: TIMES_MAX }}
          data-first
        />
        <label for="last" class="second nowrap">
          times, until
        </label>
        <DayInput
          id="last"
          label="Last day"
          day={midnightOf(last)}
          near={first.from}
          direction={1}
          max={weekly(first, TIMES_MAX).at(-1)?.from}
          onDay={(day) => onChange(day === undefined ? times : timesUntil(first, day))}
        />
      </div>
    </div>
  )
}

const TakenText = ({ occurrence: { taken, from, to } }: { readonly occurrence: Occurrence }) => {
  const nameOf = usePersonName()
  if (taken === undefined) return <span class="muted">free</span>
  const { held } = taken
  const isTurnaround = held.to <= from || held.from >= to
  return (
    <span class="clip">
      <bdi>{nameOf(held.userId)}</bdi>, {formatWhen(held.from, from)} – {formatWhen(held.to, from)}
      {isTurnaround && ', turnaround'}
    </span>
  )
}

const Dates = ({ occurrences }: { readonly occurrences: readonly Occurrence[] }) => {
  const taken = occurrences.filter((each) => each.taken !== undefined).length
  const many = formatCount(occurrences.length, 'date')
  return (
    <div class="stack">
      <Status class="small second">
        {taken === 0 ? `${many}, all free` : `${taken} of ${many} ${taken === 1 ? 'is' : 'are'} taken`}
      </Status>
      <ul class="dates" tabindex={0} aria-label="Dates">
        {occurrences.map((occurrence) => (
          <li key={occurrence.from} class={occurrence.taken === undefined ? '' : 'taken'}>
            <Icon name={occurrence.taken === undefined ? 'check' : 'warning'} />
            <span class="num nowrap">{formatDay(occurrence.from)}</span>
            <TakenText occurrence={occurrence} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Offers the dates before the first one that is taken: a series is reserved whole or not at all. */
const Fewer = ({
  occurrences,
  onTimes,
}: {
  readonly occurrences: readonly Occurrence[]
  readonly onTimes: (times: number) => void
}) => {
  const free = occurrences.findIndex(({ taken }) => taken !== undefined)
  if (free === -1) return undefined
  const shorten = (): void => {
    // The button goes.
    document.getElementById('times')?.focus()
    onTimes(free)
  }
  return (
    <div class="row wrap small">
      <span class="second grow">Either all dates are reserved, or none.</span>
      {free >= TIMES_MIN && <Button label={`Only the first ${free}`} look="small" onClick={shorten} />}
    </div>
  )
}

interface DatesToBeProps {
  readonly reading: ReadDates
  readonly onTimes: (times: number) => void
}

export const DatesToBe = ({ reading: { occurrences, failed }, onTimes }: DatesToBeProps) =>
  occurrences === undefined ? (
    <Status class="muted">
      {failed === undefined ? 'Checking the dates' : `The dates could not be loaded: ${failed.message}`}
    </Status>
  ) : (
    <>
      <Dates occurrences={occurrences} />
      <Fewer occurrences={occurrences} onTimes={onTimes} />
    </>
  )

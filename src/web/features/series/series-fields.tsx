/** The same window every week: how often, and which of its dates are taken. */

import { formatCount, formatDay, formatWhen, midnightOf } from '../../format/format.ts'
import { usePersonName } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { DayInput } from '../../parts/choose/day-input.tsx'
import { Field, Input } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/show/note.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import { seriesRefusalText } from '../reserve/refusals.ts'
import { RefusalNote } from '../reserve/reserve-notes.tsx'
import type { Stretch } from '../schedule/calendar.ts'
import { type Occurrence, TIMES_MAX, TIMES_MIN, timesUntil, weekly } from './dates.ts'
import type { Weekly } from './series.tsx'

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
    <Field id="times" label="Weekly">
      <div class="row">
        <Input
          {...{ ...field, id: 'times', label: 'Weekly, times', class: 'minutes', type: 'number', inputmode: 'numeric' }}
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
    </Field>
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
      <ul class="dates small num" tabindex={0} aria-label="Dates">
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

interface DatesToBeProps {
  readonly weekly: Weekly
  readonly onTimes: (times: number) => void
}

/** The dates, and those before the first one that is taken: a series is reserved whole or not at all. */
export const DatesToBe = ({ weekly, onTimes }: DatesToBeProps) => {
  const { occurrences, failed, command, reserve } = weekly
  const { refused } = command
  if (occurrences === undefined)
    return (
      <Status class="muted">
        {failed === undefined ? 'Checking the dates' : `The dates could not be loaded: ${failed.message}`}
      </Status>
    )
  const free = occurrences.findIndex(({ taken }) => taken !== undefined)
  const shorten = (): void => {
    // The button goes.
    document.getElementById('times')?.focus()
    onTimes(free)
  }
  return (
    <>
      <Dates occurrences={occurrences} />
      {free !== -1 && (
        <div class="row wrap small">
          <span class="second grow">Either all dates are reserved, or none.</span>
          {free >= TIMES_MIN && <Button label={`Only the first ${free}`} look="small" onClick={shorten} />}
        </div>
      )}
      {refused !== undefined && (
        <RefusalNote refused={refused} text={seriesRefusalText(refused.problem)} onBeyond={() => reserve(true)} />
      )}
    </>
  )
}

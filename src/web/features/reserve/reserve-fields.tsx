/** What one fills in to reserve: when, for how long, for whom. */

import { atClockOf, formatDuration, formatWhen, MINUTE, midnightOf, QUARTER } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { usePeople } from '../../page/use-timeline.ts'
import { IconButton } from '../../parts/button.tsx'
import { Chip, Radio } from '../../parts/choose/chip.tsx'
import { DayPicker } from '../../parts/choose/day-picker.tsx'
import { SelectField } from '../../parts/choose/select.tsx'
import { Field, FieldGroup, Input } from '../../parts/field.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import { currentTime } from '../../service/time.ts'
import { ceilQuarter, floorQuarter } from '../schedule/calendar.ts'
import { type Asked, beginOf, lengthsFrom, lengthTo, parseStart, startMoved } from '../schedule/draft.ts'

const ENTER = 'Enter a time, such as 9:30, Mon 9:30 or 30 Nov 9:30'

interface WhenProps<A extends Asked> {
  readonly asked: A
  readonly now: number
  readonly onChange: (asked: A) => void
}

const StartField = <A extends Asked>({ asked, now, onChange }: WhenProps<A>) => {
  const shown = asked.start === 'now' ? 'Now' : formatWhen(asked.start, now)
  const begin = beginOf(asked, now)
  const { isWrong, forget, commit, field } = useTyped(shown, (text) => {
    const start = parseStart(text, begin, now)
    if (start !== undefined) onChange({ ...asked, start: start !== 'now' && start <= now ? 'now' : start })
    return start !== undefined
  })
  const set = (start: A['start']): void => {
    forget()
    onChange({ ...asked, start })
  }
  const move = (quarters: number): void => set(startMoved(asked.start, quarters, now))
  const choose = (day: number): void => {
    const start = atClockOf(floorQuarter(begin), day)
    set(start <= now ? 'now' : start)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const quarters = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 }[event.key]
    if (quarters === undefined) {
      if (event.key === 'Enter' && !commit()) event.preventDefault()
      return
    }
    event.preventDefault()
    move(quarters)
  }
  return (
    <Field id="start" label="Start" error={isWrong ? `${ENTER}, or now.` : undefined}>
      <div class="row">
        <div class="row tight grow stepper num">
          <IconButton icon="minus" label="15 minutes earlier" tabindex={-1} onClick={() => move(-1)} />
          <DayPicker class="grow" what="the day of the start" chosen={begin} min={now} onDay={choose}>
            <Input
              {...{ ...field, id: 'start', role: 'spinbutton', inputmode: 'numeric', maxlength: 24 }}
              data-first
              aria-valuenow={Math.floor(begin / MINUTE)}
              aria-valuetext={shown}
              onKeyDown={onKeyDown}
            />
          </DayPicker>
          <IconButton icon="plus" label="15 minutes later" tabindex={-1} onClick={() => move(1)} />
        </div>
        <Chip label="Now" class="squared" isOn={asked.start === 'now'} onPress={() => set('now')} />
      </div>
    </Field>
  )
}

const LengthField = <A extends Asked>({ asked, onChange }: WhenProps<A>) => {
  const start = beginOf(asked, currentTime())
  const end = ceilQuarter(start + asked.length)
  const choices = lengthsFrom(asked, currentTime())
  const chosen = choices.find(({ length }) => length === asked.length) ?? choices.find((choice) => choice.end === end)
  const lastUntil = (until: number): void => onChange({ ...asked, length: lengthTo(until, asked.start, currentTime()) })
  const { isWrong, forget, field } = useTyped(chosen === undefined ? formatWhen(end, start) : '', (text) => {
    if (text.trim() === '') return true
    const until = parseStart(text, start, start + QUARTER)
    if (typeof until !== 'number') return false
    lastUntil(until)
    return true
  })
  const choose = (day: number): void => {
    const until = atClockOf(end, day)
    forget()
    // On the day of the start it lasts until midnight where that time is over by then.
    lastUntil(until > start ? until : midnightOf(day, 1))
  }
  return (
    <FieldGroup label="Length" role="radiogroup" error={isWrong ? `${ENTER}.` : undefined}>
      <div class="chips">
        {choices.map((choice) => (
          <Radio
            key={choice.end ?? choice.length}
            name="length"
            class="chip"
            isChosen={choice === chosen}
            onChoose={() => {
              forget()
              onChange({ ...asked, length: choice.length })
            }}
          >
            {choice.end === undefined ? formatDuration(choice.length) : `until ${formatWhen(choice.end, start)}`}
          </Radio>
        ))}
        <DayPicker class="until" what="the day of the end" chosen={end} min={start} onDay={choose}>
          <Input {...field} label="Until" placeholder="Until…" maxlength={24} />
        </DayPicker>
      </div>
    </FieldGroup>
  )
}

interface ForProps {
  readonly userId: string
  readonly onFor: (userId: string) => void
}

const ForField = ({ userId, onFor }: ForProps) => {
  const me = meOf(usePage())
  const people = usePeople()
  if (me.role !== 'administrator') return undefined
  const others = [...people.values()].filter(({ _id }) => _id !== me._id).map(({ _id, name }) => [_id, name] as const)
  const options = [[me._id, `You, ${me.name}`] as const, ...others]
  return <SelectField id="for" label="For" value={userId} options={options} onChange={onFor} />
}

export const ReserveFields = <A extends Asked>({ userId, onFor, ...when }: ForProps & WhenProps<A>) => (
  <>
    <StartField {...when} />
    <LengthField {...when} />
    <ForField userId={userId} onFor={onFor} />
  </>
)

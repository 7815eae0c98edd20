import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { MINUTE, QUARTER } from '../../format/times.ts'
import { meOf, usePage } from '../../page/context.ts'
import { usePeople } from '../../page/use-timeline.ts'
import { IconButton } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { Radio } from '../../parts/choose/radio.tsx'
import { SelectField } from '../../parts/choose/select.tsx'
import { Field } from '../../parts/field.tsx'
import { currentTime } from '../../service/time.ts'
import { ceilQuarter } from '../schedule/calendar.ts'
import { type Asked, beginOf, lengthsFrom, lengthTo, parseStart, startMoved } from '../schedule/draft.ts'

/** What one fills in to reserve: when, for how long, for whom. */

interface StartProps<A extends Asked> {
  readonly asked: A
  readonly now: number
  readonly onChange: (asked: A) => void
}

export const StartField = <A extends Asked>({ asked, now, onChange }: StartProps<A>): VNode => {
  const shown = asked.start === 'now' ? 'Now' : formatWhen(asked.start, now)
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [isWrong, setWrong] = useState(false)
  const move = (quarters: number): void => {
    setTyped(undefined)
    onChange({ ...asked, start: startMoved(asked.start, quarters, now) })
  }
  const take = (): boolean => {
    if (typed === undefined) return true
    const start = parseStart(typed, beginOf(asked, now), now)
    setWrong(start === undefined)
    if (start === undefined) return false
    setTyped(undefined)
    onChange({ ...asked, start: start !== 'now' && start <= now ? 'now' : start })
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const quarters = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 }[event.key]
    if (quarters === undefined) {
      if (event.key === 'Enter' && typed !== undefined && !take()) event.preventDefault()
      return
    }
    event.preventDefault()
    move(quarters)
  }
  return (
    <Field
      id="start"
      label="Start"
      error={isWrong ? 'Enter a time, such as 9:30, Mon 9:30 or 30 Nov 9:30, or now.' : undefined}
    >
      <div class="row">
        <div class="stepper grow">
          <IconButton icon="minus" label="15 minutes earlier" tabindex={-1} onClick={() => move(-1)} />
          <input
            id="start"
            data-first
            class="input"
            role="spinbutton"
            inputmode="numeric"
            autocomplete="off"
            value={typed ?? shown}
            maxlength={24}
            aria-valuenow={Math.floor(beginOf(asked, now) / MINUTE)}
            aria-valuetext={shown}
            aria-invalid={isWrong}
            onInput={(event: InputEvent) => setTyped((event.target as HTMLInputElement).value)}
            onBlur={take}
            onKeyDown={onKeyDown}
          />
          <IconButton icon="plus" label="15 minutes later" tabindex={-1} onClick={() => move(1)} />
        </div>
        <Chip
          label="Now"
          class="squared"
          isOn={asked.start === 'now'}
          onPress={() => onChange({ ...asked, start: 'now' })}
        />
      </div>
    </Field>
  )
}

interface LengthProps<A extends Asked> {
  readonly asked: A
  readonly onChange: (asked: A) => void
}

export const LengthField = <A extends Asked>({ asked, onChange }: LengthProps<A>): VNode => {
  const start = beginOf(asked, currentTime())
  const end = ceilQuarter(start + asked.length)
  const choices = lengthsFrom(asked, currentTime())
  const chosen = choices.find(({ length }) => length === asked.length) ?? choices.find((choice) => choice.end === end)
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [isWrong, setWrong] = useState(false)
  const type = (text: string | undefined): void => {
    setTyped(text)
    setWrong(false)
  }
  const takeUntil = (): void => {
    const text = typed?.trim() ?? ''
    const until = text === '' ? undefined : parseStart(text, start, start + QUARTER)
    const isTime = typeof until === 'number'
    setWrong(text !== '' && !isTime)
    if (text === '' || isTime) setTyped(undefined)
    if (isTime) onChange({ ...asked, length: lengthTo(until, asked.start, currentTime()) })
  }
  return (
    <div class="field">
      <span class="label" id="length">
        Length
      </span>
      <div class="chips" role="radiogroup" aria-labelledby="length">
        {choices.map((choice) => (
          <Radio
            key={choice.end ?? choice.length}
            name="length"
            class="chip"
            isChosen={choice === chosen}
            onChoose={() => {
              type(undefined)
              onChange({ ...asked, length: choice.length })
            }}
          >
            {choice.end === undefined ? formatDuration(choice.length) : `until ${formatWhen(choice.end, start)}`}
          </Radio>
        ))}
        <input
          class="input until"
          aria-label="Until"
          placeholder="Until…"
          autocomplete="off"
          maxlength={24}
          aria-invalid={isWrong}
          value={typed ?? (chosen === undefined ? formatWhen(end, start) : '')}
          onInput={(event: InputEvent) => type((event.target as HTMLInputElement).value)}
          onChange={takeUntil}
        />
      </div>
      {isWrong && (
        <span class="small danger" role="alert">
          Enter a time, such as 9:30, Mon 9:30 or 30 Nov 9:30.
        </span>
      )}
    </div>
  )
}

interface ForProps {
  readonly userId: string
  readonly onChoose: (userId: string) => void
}

export const ForField = ({ userId, onChoose }: ForProps): VNode => {
  const page = usePage()
  const me = meOf(page)
  const people = usePeople()
  const others = [...people.values()]
    .filter(({ _id }) => _id !== me._id)
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ _id, name }) => [_id, name] as const)
  const options = [[me._id, `You, ${me.name}`] as const, ...others]
  return <SelectField id="for" label="For" value={userId} options={options} onChange={onChoose} />
}

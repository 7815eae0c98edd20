import { useRef, useState } from 'preact/hooks'
import { dayOfTime, type Filter, isDay, NO_FILTER, timeOfDay } from '../../features/events/feed.ts'
import { formatDate } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { toParameters } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { DayInput } from '../../parts/choose/day-input.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { SelectField } from '../../parts/choose/select.tsx'
import { toggled } from '../../parts/choose/toggled.ts'
import { Field } from '../../parts/field.tsx'
import type { Names } from './names.ts'

const KINDS = [
  ['reservations', 'Reservations'],
  ['sessions', 'Connections'],
  ['changes', 'Machines'],
  ['monitoring', 'Monitoring'],
  ['people', 'People'],
  ['service', 'Service'],
] as const

const SERVICE = [
  ['berth', 'Berth'],
  ['schedule', 'Berth: schedule'],
  ['monitor', 'Berth: monitoring'],
  ['gateway', 'Berth: gateway'],
  ['oidc', 'Single sign-on'],
  ['command-line', 'The command line'],
] as const

type Options = readonly (readonly [id: string, name: string])[]

interface Props {
  readonly filter: Filter
  readonly names: Names
  readonly onChange: (filter: Filter) => void
}

const dayText = (day: string): string => (isDay(day) ? formatDate(timeOfDay(day)) : day)
const textIn = (options: Options, id: string): string => options.find(([key]) => key === id)?.[1] ?? id
const optionsOf = (all: Names['people'] | Names['suts']): Options =>
  [...all.values()].map(({ _id, name }) => [_id, name])

/** What of the feed is shown: the text among what was read, all else by the service. */
export const Filters = ({ filter, names, onChange }: Props) => {
  const { clock } = usePage()
  const [isOpen, setOpen] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const show = (change: Partial<Filter>): void => onChange({ ...filter, ...change })
  const [people, suts] = [optionsOf(names.people), optionsOf(names.suts)]
  const select = (id: 'by' | 'about' | 'machine', label: string, options: Options) => (
    <SelectField
      {...{ id, label, value: filter[id], options: [['', 'Any'], ...options] }}
      onChange={(value: string) => show({ [id]: value })}
    />
  )
  const day = (id: 'from' | 'to', label: string) => (
    <Field id={id} label={label}>
      <DayInput
        {...{ id, label, near: clock.peek(), direction: -1 }}
        day={isDay(filter[id]) ? timeOfDay(filter[id]) : undefined}
        onDay={(time) => show({ [id]: time === undefined ? '' : dayOfTime(time) })}
      />
    </Field>
  )
  const { kind, by, about, machine, from, to } = filter
  const chosen: readonly (readonly [string, string, Partial<Filter>])[] = [
    ...[...kind].map((each) => [each, textIn(KINDS, each), { kind: toggled(kind, each) }] as const),
    [by, `By ${textIn([...people, ...SERVICE], by)}`, { by: '' }],
    [about, `About ${textIn(people, about)}`, { about: '' }],
    [machine, textIn(suts, machine), { machine: '' }],
    [from, `From ${dayText(from)}`, { from: '' }],
    [to, `Until ${dayText(to)}`, { to: '' }],
  ]
  const clear = (): void => {
    search.current?.focus()
    onChange(NO_FILTER)
  }
  return (
    <div class="stack activity-filters" role="search">
      <div class="row wrap">
        <SearchField
          ref={search}
          label="Filter"
          placeholder="Machine, person, reason"
          value={filter.text}
          onInput={(text) => show({ text })}
        />
        <Button
          icon={isOpen ? 'down' : 'right'}
          label="Filters"
          look="small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        {!isOpen &&
          chosen
            .filter(([value]) => value !== '')
            .map(([, text, without]) => <Chip key={text} label={text} icon="x" isOn onPress={() => show(without)} />)}
        {Object.keys(toParameters(filter)).length > 0 && (
          <Button label="Clear filters" look="quiet small" onClick={clear} />
        )}
      </div>
      {isOpen && (
        <>
          <div class="row wrap">
            {KINDS.map(([key, label]) => (
              <Chip
                {...{ key, label, isOn: filter.kind.has(key) }}
                onPress={() => show({ kind: toggled(filter.kind, key) })}
              />
            ))}
          </div>
          <div class="activity-fields">
            {select('by', 'Done by', [...people, ...SERVICE])}
            {select('about', 'About', people)}
            {select('machine', 'Machine', suts)}
            {day('from', 'First day')}
            {day('to', 'Last day')}
          </div>
        </>
      )}
    </div>
  )
}

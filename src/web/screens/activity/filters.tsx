import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { dayOfTime, type Filter, isFiltering, parametersOf, timeOfDay } from '../../features/events/feed.ts'
import type { Kind } from '../../features/events/templates.ts'
import { DayInput } from '../../features/schedule/day-input.tsx'
import { usePage } from '../../page/context.ts'
import { goTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { FilterChip } from '../../parts/choose/menu.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { Select } from '../../parts/choose/select.tsx'
import type { Names } from './names.ts'

const KINDS: Readonly<Record<Kind, string>> = {
  reservations: 'Reservations',
  sessions: 'Connections',
  changes: 'Machines',
  monitoring: 'Monitoring',
  people: 'People',
  service: 'Service',
}

const SERVICE = [
  ['berth', 'Berth'],
  ['schedule', 'Berth: schedule'],
  ['monitor', 'Berth: monitoring'],
  ['gateway', 'Berth: gateway'],
  ['oidc', 'Single sign-on'],
  ['command-line', 'The command line'],
] as const

interface Props {
  readonly filter: Filter
  readonly names: Names
  readonly onText: (text: string) => void
}

const orNone = (text: string): string | undefined => (text === '' ? undefined : text)

/** What of the feed is shown: the text among what was read, all else by the service. */
export const Filters = ({ filter, names, onText }: Props): VNode => {
  const show = (change: Partial<Filter>): void => goTo('activity', undefined, parametersOf({ ...filter, ...change }))
  const users = names.people.map(({ _id, name }) => [_id, name] as const)
  const people = [['', 'Done by anyone'] as const, ...users, ...SERVICE]
  const suts = [['', 'Any machine'] as const, ...names.suts.map(({ _id, name }) => [_id, name] as const)]
  const day = (name: 'from' | 'to', label: string): VNode => (
    <DayInput
      label={label}
      day={filter[name] === undefined ? undefined : timeOfDay(filter[name])}
      near={usePage().clock.peek()}
      direction={-1}
      onDay={(time) => show({ [name]: time && dayOfTime(time) })}
    />
  )
  const search = useRef<HTMLInputElement>(null)
  const clear = (): void => {
    search.current?.focus()
    onText('')
    goTo('activity')
  }
  return (
    <div class="row wrap activity-filters" role="search">
      <SearchField
        ref={search}
        label="Filter"
        placeholder="Machine, person, reason"
        value={filter.text}
        onInput={onText}
      />
      <FilterChip label="Kind" options={KINDS} chosen={filter.kinds} onChange={(kinds) => show({ kinds })} />
      <Select
        id="by"
        label="Done by"
        value={filter.actor ?? ''}
        options={people}
        onChange={(id: string) => show({ actor: orNone(id) })}
      />
      <Select
        id="about"
        label="About"
        value={filter.user ?? ''}
        options={[['', 'About anyone'], ...users]}
        onChange={(id: string) => show({ user: orNone(id) })}
      />
      <Select
        id="machine"
        label="Machine"
        value={filter.sut ?? ''}
        options={suts}
        onChange={(id: string) => show({ sut: orNone(id) })}
      />
      {day('from', 'First day')}
      <span class="muted" aria-hidden="true">
        –
      </span>
      {day('to', 'Last day')}
      {isFiltering(filter) && <Button label="Clear filters" look="quiet small" onClick={clear} />}
    </div>
  )
}

import { useMemo, useState } from 'preact/hooks'
import { MACHINES } from '../../data/lists.ts'
import type { Sut } from '../../data/objects.ts'
import { ofSuts } from '../../data/query.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import { QueueTable } from '../../features/queue/queue-table.tsx'
import { useQueue } from '../../features/queue/read.ts'
import { readAvailable } from '../../features/reserve/available.ts'
import {
  type Criteria,
  choosablesOf,
  fits,
  isInScope,
  toggledValue,
  toMatch,
  type Value,
} from '../../features/reserve/criteria.ts'
import { ReserveFields } from '../../features/reserve/reserve-fields.tsx'
import { parametersOf, type Wish, wishOf } from '../../features/reserve/wish.ts'
import { floorQuarter } from '../../features/schedule/calendar.ts'
import { USUAL_TIMES } from '../../features/series/series.tsx'
import { formatZone } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { goTo, linkTo } from '../../page/location.ts'
import { useMachines, usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { MenuChip } from '../../parts/choose/menu.tsx'
import { FieldGroup, Switch } from '../../parts/field.tsx'
import { Page } from '../../parts/show/page.tsx'
import { currentTime } from '../../service/time.ts'
import { Offer } from './offer.tsx'

/** Seconds without a connection after which a machine is released, where one wants that. */
const KEEPALIVE = 600

const change = (wish: Wish): void => goTo('book', undefined, parametersOf(wish))

const CHIPS_MAX = 12

interface CriteriaProps {
  readonly suts: readonly Sut[]
  readonly criteria: Criteria
  readonly onChange: (criteria: Criteria) => void
}

const CriteriaFields = ({ suts, criteria, onChange }: CriteriaProps) => {
  const [isAll, setAll] = useState(false)
  const fields = useMemo(() => choosablesOf(suts, criteria), [suts, criteria])
  const shown = fields.filter(({ isUsual }) => isAll || isUsual)
  const toggle = (key: string, value: Value): void => onChange(toggledValue(criteria, key, value))
  return (
    <div class="stack criteria">
      {shown.map(({ key, label, values }) => {
        const isLong = values.length > CHIPS_MAX
        return (
          <FieldGroup key={key} label={label}>
            <div class="chips">
              {values
                .filter(({ isChosen }) => isChosen || !isLong)
                .map(({ value, text, isChosen }) => (
                  <Chip
                    {...{ key: value ?? '', label: text, icon: isChosen ? 'check' : undefined, isOn: isChosen }}
                    onPress={() => toggle(key, value)}
                  />
                ))}
              {isLong && (
                <MenuChip
                  label={`${values.length} values`}
                  choices={values.map(({ text, isChosen }, n) => ({ key: String(n), text, isChosen }))}
                  isMultiple
                  onChoose={(n: string) => toggle(key, values[Number(n)]?.value ?? null)}
                />
              )}
            </div>
          </FieldGroup>
        )
      })}
      {(isAll || shown.length < fields.length) && (
        <div>
          <Button
            label={isAll ? 'Fewer criteria' : 'More criteria'}
            icon={isAll ? 'minus' : 'plus'}
            look="quiet small"
            aria-expanded={isAll}
            onClick={() => setAll(!isAll)}
          />
        </div>
      )}
    </div>
  )
}

const useAvailable = ({ criteria, start, length }: Wish, userId: string, fitting: ReadonlySet<string>, now: number) => {
  const sought = { match: toMatch(criteria), userId }
  // What begins now is looked for again in each quarter of an hour.
  const quarter = start === 'now' ? floorQuarter(now) : ''
  return useReading(
    {
      ...{ key: JSON.stringify([sought, start, length]), ...ofSuts(fitting) },
      read: (source) => readAvailable(source, sought, { start, length }, currentTime()),
    },
    quarter,
  )
}

export const Book = () => {
  const page = usePage()
  const me = meOf(page)
  const now = page.minute.value
  const { parameters } = page.place.value
  const wish = useMemo(() => wishOf(parameters, now), [parameters, now])
  const [userId, setUserId] = useState(me._id)
  const machines = useReading(MACHINES)
  const scope = usePeople().get(userId)?.scope ?? ''
  const suts = useMachines()
  const inScope = useMemo(() => [...suts.values()].filter((sut) => isInScope(sut, scope)), [suts, scope])
  const fitting = useMemo(() => inScope.filter((sut) => fits(sut, wish.criteria)), [inScope, parameters])
  const ids = useMemo(() => new Set(fitting.map(({ _id }) => _id)), [fitting])
  const reading = useAvailable(wish, userId, ids, now)
  const queue = useQueue(true)
  const isQueue = queue.value === undefined ? queue.failed !== undefined : queue.value.length > 0
  const [isKept, setKept] = useState(false)
  const [isWeekly, setWeekly] = useState(false)
  const [times, setTimes] = useState(USUAL_TIMES)
  const { criteria, start, length } = wish
  const content = () => {
    if (suts.size === 0)
      return (
        <NoMachines>
          {me.role === 'administrator' ? (
            <Button label="Open Machines" look="primary" href={linkTo('machines')} />
          ) : undefined}
        </NoMachines>
      )
    return (
      <div class="cols r376">
        <form class="stack wishes" onSubmit={(event: Event) => event.preventDefault()} novalidate>
          <CriteriaFields {...{ suts: inScope, criteria }} onChange={(next) => change({ ...wish, criteria: next })} />
          <ReserveFields asked={wish} now={now} onChange={change} userId={userId} onFor={setUserId} />
          <Switch
            label="Release after 10 minutes without a connection"
            isOn={isKept && !isWeekly}
            isDisabled={isWeekly}
            onChange={setKept}
          />
          <Switch label="Repeat weekly" isOn={isWeekly} onChange={setWeekly} />
        </form>
        <aside class="stack aside">
          <Offer
            key={JSON.stringify([toMatch(criteria), start, length, userId])}
            {...{ wish, fitting, count: inScope.length, reading, queue, userId, isWeekly, times, onTimes: setTimes }}
            keepalive={isKept ? KEEPALIVE : undefined}
          />
          {isQueue && (
            <section class="stack queue-box" aria-label="Waiting">
              <h2>Waiting</h2>
              <Loaded reading={queue} what="The queue">
                {(value) => <QueueTable queue={value} />}
              </Loaded>
            </section>
          )}
        </aside>
      </div>
    )
  }
  return (
    <Page class="book" title="Reserve any machine" beside={<span class="small muted">Times in {formatZone(now)}</span>}>
      <Loaded reading={machines} what="The machines" skeleton={8}>
        {content}
      </Loaded>
    </Page>
  )
}

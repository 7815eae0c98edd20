/** What the schedule shows where the filter leaves no machine. */

import { useComputed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { ofSuts } from '../../data/query.ts'
import { readLater } from '../../features/reserve/available.ts'
import { toMatch } from '../../features/reserve/criteria.ts'
import { parametersOf } from '../../features/reserve/wish.ts'
import { floorQuarter } from '../../features/schedule/calendar.ts'
import { criteriaOf, type Filter, isTextLeftOut, matches, NO_FILTER } from '../../features/view/filter.ts'
import { show, take, view } from '../../features/view/view.ts'
import { formatCount, formatWhen, HOUR } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Name } from '../../parts/show/note.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { currentTime } from '../../service/time.ts'

const clear = (): void => {
  show({ filter: NO_FILTER })
  // The button is gone then.
  document.getElementById('filter-text')?.focus()
}

const NoMatch = () => (
  <StateBlock icon="filter" title="No machine matches">
    <Button label="Clear filters" onClick={clear} />
  </StateBlock>
)

const NoneFree = ({ suts, filter }: { readonly suts: readonly Sut[]; readonly filter: Filter }) => {
  const page = usePage()
  const me = meOf(page)
  const now = useComputed(() => floorQuarter(page.clock.value)).value
  const ids = useMemo(() => new Set(suts.map(({ _id }) => _id)), [suts])
  const criteria = useMemo(() => criteriaOf(filter, suts), [filter, suts])
  const wish = { criteria, start: 'now', length: HOUR } as const
  const sought = { match: toMatch(criteria), userId: me._id }
  const { value: next } = useReading(
    {
      ...{ key: JSON.stringify([sought, filter.text]), ...ofSuts(ids) },
      read: (source) => readLater(source, sought, wish, currentTime(), ids),
    },
    now,
  )
  const mayReserve = me.role !== 'auditor'
  return (
    <StateBlock icon="clock" title="No machine is free for 1 h">
      <p role="status">
        {next && (
          <>
            The next is <Name of={next.name} />, from {formatWhen(next.from, page.clock.peek())}.
          </>
        )}
      </p>
      <div class="row wrap">
        {mayReserve && next && (
          <Button label="Reserve it" look="primary" onClick={() => take(next.sutId, HOUR, next.from)} />
        )}
        {mayReserve && <Button label="Wait for any" href={linkTo('book', undefined, parametersOf(wish))} />}
        <Button label="Clear filters" onClick={clear} />
      </div>
      {mayReserve && isTextLeftOut(filter, suts) && (
        <p class="small muted">
          Wait for any ignores the text, which matches {formatCount(suts.length, 'machine')}, more than can be named.
        </p>
      )}
    </StateBlock>
  )
}

/** Of the past nothing can be reserved. */
export const NoneShown = ({ isPast }: { readonly isPast: boolean }) => {
  const suts = useMachines()
  const filter = useComputed(() => view.value.filter).value
  const fitting = useMemo(
    () => [...suts.values()].filter((sut) => matches(sut, [], { ...filter, isFreeNow: false }, 0)),
    [suts, filter],
  )
  return (
    <div class="tl">{fitting.length === 0 || isPast ? <NoMatch /> : <NoneFree suts={fitting} filter={filter} />}</div>
  )
}

import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Reservation, type Sut, takenOf } from '../../data/objects.ts'
import { ofSuts } from '../../data/query.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import { queuedBySut, useQueue } from '../../features/queue/read.ts'
import { readLater } from '../../features/reserve/available.ts'
import { toMatch } from '../../features/reserve/criteria.ts'
import { parametersOf } from '../../features/reserve/wish.ts'
import { floorQuarter } from '../../features/schedule/calendar.ts'
import { grouped } from '../../features/schedule/rows.ts'
import { type Span, spanLater, spanOf } from '../../features/schedule/span.ts'
import { criteriaOf, type Filter, isFiltering, isTextLeftOut, matches, NO_FILTER } from '../../features/view/filter.ts'
import { close, type Open, show, take, view } from '../../features/view/view.ts'
import { formatCount, formatNumber, formatWhen, HOUR, midnightOf } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { useMachines, useTimeline } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Name, Status } from '../../parts/show/note.tsx'
import { NoMatch, StateBlock } from '../../parts/state.tsx'
import { currentTime } from '../../service/time.ts'
import { DateBar, FilterBar } from './bars.tsx'
import { BlockPopover, RequestPopover } from './block-popover.tsx'
import { DraftPopover } from './draft-popover.tsx'
import { drawnOf } from './grid/drawn.ts'
import { Grid } from './grid/grid.tsx'
import { NONE } from './grid/grid-props.ts'
import { useHeld, useHeldRows, useInside } from './hold.ts'
import { SetUp, useSetUp } from './set-up.tsx'

const groupOfSut = (groupBy: string | undefined): ((sut: Sut) => string | undefined) | undefined => {
  if (groupBy === undefined) return undefined
  if (groupBy === 'type') return ({ sut_type }) => sut_type.toUpperCase()
  const name = groupBy.replace(/^tag\./, '')
  return ({ tags }) => (tags[name] === undefined ? undefined : `${name} ${tags[name]}`)
}

const SKELETON = (
  <div class="tl-in">
    <div class="tl-axis" />
    {Array.from({ length: 14 }, (_, n) => (
      <div class="tl-row" key={n}>
        <div class="row tl-head">
          <span class="sk sk-name" />
        </div>
        <div class="tl-lane">
          <span class="sk sk-block" style={{ '--n': n % 5 }} />
        </div>
      </div>
    ))}
  </div>
)

/** The machine over which something is open, with what is taken of it. */
const useOpenMachine = (open: Open | undefined) => {
  const { bySut, byId } = usePage().reservations.all.value
  const suts = useMachines()
  const sutId =
    open?.kind === 'draft'
      ? open.draft.sutId
      : open?.kind === 'request'
        ? open.sutId
        : open && byId.get(open.id)?.sut_id
  const sut = suts.get(sutId ?? '')
  return sut && { sut, taken: takenOf(sut, bySut.get(sut._id)) }
}

type OpenMachine = ReturnType<typeof useOpenMachine>

const OpenPopover = ({ open, machine }: { readonly open: Open; readonly machine: OpenMachine }) => {
  const { byId } = usePage().reservations.all.value
  const there = useRef<Open | undefined>(undefined)
  if (machine !== undefined) there.current = open
  // A reservation that was just made elsewhere may not have been read yet.
  const isGone = machine === undefined && (open.kind !== 'reservation' || there.current === open)
  useEffect(() => {
    if (isGone) close()
  }, [isGone])
  if (machine === undefined) return undefined
  if (open.kind === 'draft') return <DraftPopover key={machine.sut._id} {...machine} draft={open.draft} />
  if (open.kind === 'request') return <RequestPopover key={open.queued._id} {...machine} open={open} />
  const reservation = byId.get(open.id) as Reservation
  return <BlockPopover key={`${open.id} ${open.isGivenBack}`} {...machine} open={open} reservation={reservation} />
}

const clear = (): void => {
  show({ filter: NO_FILTER })
  // The button is gone then.
  document.getElementById('filter-text')?.focus()
}

/** What the schedule shows where the filter leaves only machines that somebody has. */
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

const useRows = (now: number) => {
  const suts = useMachines()
  const { bySut } = usePage().reservations.all.value
  const { filter, groupBy, folded } = view.value
  return useMemo(() => {
    const all = [...suts.values()]
    const fitting = (of: Filter) => all.filter((sut) => matches(sut, bySut.get(sut._id) ?? NONE, of, now))
    const [shown, free] = [fitting(filter), fitting({ ...filter, isFreeNow: true })]
    // Those that are not free now, where that is what leaves none.
    const taken = shown.length > 0 ? [] : fitting({ ...filter, isFreeNow: false })
    return { all, shown, taken, freeCount: free.length, rows: grouped(shown, groupOfSut(groupBy), folded) }
  }, [suts, bySut, filter, groupBy, folded, now])
}

/** What is drawn over the timeline. The span follows it. */
const useDrawn = (open: Open | undefined, machine: OpenMachine, span: Span, now: number) => {
  const drawn = open && machine && drawnOf(open, machine.sut._id, machine.taken, now)
  const { from } = drawn?.window ?? span
  const isElsewhere = from >= span.to || (from < span.from && from > now)
  useEffect(() => {
    if (isElsewhere) show({ time: from })
  }, [isElsewhere, from])
  return drawn
}

export const Schedule = () => {
  const page = usePage()
  const now = page.minute.value
  const { zoom, time, open, filter, groupBy, folded } = view.value
  const inside = useInside()
  const [isQueueOpen, setQueueOpen] = useState(false)
  const isHeld = inside.isInside || open !== undefined
  const today = useHeld(midnightOf(now), isHeld)
  const span = useMemo(() => spanOf(zoom, time ?? today), [zoom, time, today])
  // One span on either side too, so that the next one is there at once.
  const read = useMemo(() => ({ from: spanLater(span, -1).from, to: spanLater(span, 1).to }), [span.from, span.to])
  const { onView, ...reading } = useTimeline(read)
  const suts = useMachines()
  const { all, shown, taken, freeCount, rows } = useRows(now)
  useFilterInAddress('schedule', NO_FILTER, filter, (next) => show({ filter: next }))
  const held = useHeldRows(rows, suts, [filter, groupBy, folded], isHeld)
  const isPast = page.asOf.value !== undefined
  const { value } = useQueue(isQueueOpen)
  // Who waits is known of now only.
  const queue = isPast ? undefined : value
  const queued = useMemo(() => queuedBySut(queue), [queue])
  const isSettingUp = useSetUp(meOf(page).role === 'administrator' && reading.value === true)
  const machine = useOpenMachine(open)
  const drawn = useDrawn(open, machine, span, now)

  const content = () => {
    if (all.length === 0)
      return (
        <div class="tl">
          <NoMachines />
        </div>
      )
    if (held.shown.length === 0 && isFiltering(filter))
      return (
        <div class="tl">
          {/* Of the past nothing can be reserved. */}
          {taken.length === 0 || isPast ? (
            <NoMatch title="No machine matches" onClear={clear} />
          ) : (
            <NoneFree suts={taken} filter={filter} />
          )}
        </div>
      )
    // In other groups no row is where it was.
    return (
      <Grid
        key={groupBy}
        rows={held.shown}
        count={shown.length}
        queued={queued}
        span={span}
        drawn={drawn}
        openSutId={machine?.sut._id}
        onView={onView}
      >
        {held.waiting > 0 && (
          <button type="button" class="link" onClick={held.release}>
            show {formatNumber(held.waiting)} more
          </button>
        )}
      </Grid>
    )
  }
  if (isSettingUp)
    return (
      <main class="main">
        <SetUp />
      </main>
    )
  return (
    <main class="main flush">
      <DateBar span={span} />
      <FilterBar
        suts={all}
        freeCount={freeCount}
        shownCount={shown.length}
        queue={queue}
        isQueueOpen={isQueueOpen}
        onQueue={setQueueOpen}
      />
      <div class="tl-box" {...inside.handlers}>
        <Loaded
          reading={isSettingUp === undefined ? { ...reading, value: undefined } : reading}
          what="The schedule"
          class="tl"
          skeleton={SKELETON}
        >
          {content}
        </Loaded>
      </div>
      <Status class="vh">{open?.isDrawn === true && drawn?.text}</Status>
      {open !== undefined && open.isDrawn !== true && reading.value && <OpenPopover open={open} machine={machine} />}
    </main>
  )
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Reservation, type Sut, takenOf } from '../../data/objects.ts'
import type { Reserved } from '../../data/reservations.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import { queuedBySut, useQueue } from '../../features/queue/read.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { grouped } from '../../features/schedule/rows.ts'
import { type Span, spanLater, spanOf } from '../../features/schedule/span.ts'
import { type Filter, isFiltering, matches, NO_FILTER } from '../../features/view/filter.ts'
import { close, type Open, show, view } from '../../features/view/view.ts'
import { midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { type TimelineReading, useMachines, useTimeline } from '../../page/use-timeline.ts'
import { Status } from '../../parts/show/note.tsx'
import { DateBar, FilterBar } from './bars.tsx'
import { BlockPopover } from './block-popover.tsx'
import { DraftPopover } from './draft-popover.tsx'
import { drawnOf } from './grid/drawn.ts'
import { Grid } from './grid/grid.tsx'
import { useHeld, useHeldRows, useInside } from './hold.ts'
import { NoneShown } from './none-shown.tsx'
import { RequestPopover } from './request-popover.tsx'
import { SetUp, useSetUp } from './set-up.tsx'

const NONE: readonly Booked[] = []

const groupOfSut = (groupBy: string | undefined): ((sut: Sut) => string | undefined) | undefined => {
  if (groupBy === undefined) return undefined
  if (groupBy === 'type') return ({ sut_type }) => sut_type.toUpperCase()
  const name = groupBy.replace(/^tag\./, '')
  return ({ tags }) => (tags[name] === undefined ? undefined : `${name} ${tags[name]}`)
}

/** Reads what a span needs: one span on either side too, so that the next one is there at once. */
const useLoading = (span: Span): TimelineReading =>
  useTimeline(useMemo(() => ({ from: spanLater(span, -1).from, to: spanLater(span, 1).to }), [span.from, span.to]))

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

const OpenPopover = ({ open }: { readonly open: Open }) => {
  const reserved = usePage().reservations.all.value
  const suts = useMachines()
  const sut = suts.get(openSutOf(open, reserved) ?? '')
  const there = useRef<Open | undefined>(undefined)
  if (sut !== undefined) there.current = open
  // A reservation that was just made elsewhere may not have been read yet.
  const isGone = sut === undefined && (open.kind !== 'reservation' || there.current === open)
  useEffect(() => {
    if (isGone) close()
  }, [isGone])
  if (sut === undefined) return undefined
  const taken = takenOf(sut, reserved.bySut.get(sut._id))
  if (open.kind === 'draft') return <DraftPopover key={sut._id} sut={sut} draft={open.draft} taken={taken} />
  if (open.kind === 'request')
    return <RequestPopover key={open.queued._id} sut={sut} queued={open.queued} at={open.at} taken={taken} />
  return (
    <BlockPopover
      key={`${open.id} ${open.isGivenBack}`}
      sut={sut}
      end={open.end}
      isGivenBack={open.isGivenBack}
      reservation={reserved.byId.get(open.id) as Reservation}
      taken={taken}
    />
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
    return { all, shown, freeCount: free.length, rows: grouped(shown, groupOfSut(groupBy), folded) }
  }, [suts, bySut, filter, groupBy, folded, now])
}

const openSutOf = (open: Open | undefined, { byId }: Reserved): string | undefined => {
  if (open?.kind === 'draft') return open.draft.sutId
  return open?.kind === 'request' ? open.sutId : open && byId.get(open.id)?.sut_id
}

/** What is drawn over the timeline. The span follows it. */
const useDrawn = (open: Open | undefined, span: Span, now: number) => {
  const reserved = usePage().reservations.all.value
  const openSutId = openSutOf(open, reserved)
  const sut = useMachines().get(openSutId ?? '')
  const drawn = open && sut && drawnOf(open, sut._id, takenOf(sut, reserved.bySut.get(sut._id)), now)
  const { from } = drawn?.window ?? span
  const isElsewhere = from >= span.to || (from < span.from && from > now)
  useEffect(() => {
    if (isElsewhere) show({ time: from })
  }, [isElsewhere, from])
  return { drawn, openSutId }
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
  const { onView, ...reading } = useLoading(span)
  const suts = useMachines()
  const { all, shown, freeCount, rows } = useRows(now)
  useFilterInAddress('schedule', NO_FILTER, filter, (next) => show({ filter: next }))
  const held = useHeldRows(rows, suts, [filter, groupBy, folded], isHeld)
  const isPast = page.asOf.value !== undefined
  const { value } = useQueue(isQueueOpen)
  // Who waits is known of now only.
  const queue = isPast ? undefined : value
  const queued = useMemo(() => queuedBySut(queue), [queue])
  const isSettingUp = useSetUp(meOf(page).role === 'administrator' && reading.value === true)
  const { drawn, openSutId } = useDrawn(open, span, now)

  const content = () => {
    if (all.length === 0)
      return (
        <div class="tl">
          <NoMachines />
        </div>
      )
    if (held.shown.length === 0 && isFiltering(filter)) return <NoneShown isPast={isPast} />
    // In other groups no row is where it was.
    return (
      <Grid
        key={groupBy}
        rows={held.shown}
        count={shown.length}
        waiting={held.waiting}
        onShowWaiting={held.release}
        queued={queued}
        span={span}
        drawn={drawn}
        openSutId={openSutId}
        onView={onView}
      />
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
      {open !== undefined && open.isDrawn !== true && reading.value && <OpenPopover open={open} />}
    </main>
  )
}

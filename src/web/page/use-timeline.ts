import { useComputed } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { MACHINES, PEOPLE } from '../data/lists.ts'
import { type Person, type Reservation, type Sut, turnaroundOf } from '../data/objects.ts'
import { type About, ofKinds, type Source } from '../data/query.ts'
import { isKnown, type Reservations } from '../data/reservations.ts'
import type { Booked, Stretch } from '../features/schedule/calendar.ts'
import { HOUR } from '../format/format.ts'
import { type Reading, usePage, useReading } from './context.ts'

const NO_MAP: ReadonlyMap<string, never> = new Map<string, never>()

/** All machines by id: none before they were read. */
export const useMachines = (): ReadonlyMap<string, Sut> => useReading(MACHINES).value ?? NO_MAP

/** All people by id: nobody before they were read. */
export const usePeople = (): ReadonlyMap<string, Person> => useReading(PEOPLE).value ?? NO_MAP

/** The name of one of them, or its id until that is known. */
const useNameIn = (all: ReadonlyMap<string, { readonly name: string }>) =>
  useCallback((id: string): string => all.get(id)?.name ?? id, [all])

export const useMachineName = () => useNameIn(useMachines())
export const usePersonName = () => useNameIn(usePeople())

export interface TimelineReading extends Pick<Reading<true>, 'value' | 'failed' | 'retry'> {
  /** Tells which machines are in view, and which are near it: these are read, before one sees them. */
  readonly onView: (inView: readonly string[], near: readonly string[]) => void
}

/** Who is not seen is only counted: that is read some time later. */
const OUT_OF_VIEW = { of: ofKinds('sut_reservation').of, isInView: () => false }
const NONE: ReadonlySet<string> = new Set()

/** The longest turnaround. */
const LONGEST = 24 * HOUR

/** The time from an hour on in which one may ask for an hour, and what may take it: a turnaround before and after. */
const around = (hour: number, turnaround: number): Stretch => ({
  from: hour - turnaround,
  to: hour + 2 * HOUR + turnaround,
})

/** The machines whose turnaround is longer than an hour: few, and of these more is read. */
const slowOf = (suts: ReadonlyMap<string, Sut> = NO_MAP): string =>
  [...suts.values()]
    .filter((sut) => turnaroundOf(sut) > HOUR)
    .map(({ _id }) => _id)
    .join()

const useSoon = (slow: string) => {
  const { reservations, clock } = usePage()
  const hour = useComputed(() => Math.floor(clock.value / HOUR) * HOUR).value
  const read = async (source: Source): Promise<true> => {
    await reservations.readSpan(source, around(hour, HOUR))
    if (slow !== '') await reservations.readSpan(source, around(hour, LONGEST), slow.split(','))
    reservations.forgetOthers(around(hour, LONGEST))
    return true
  }
  return useReading({ key: 'soon', isKept: true, ...OUT_OF_VIEW, read }, `${hour} ${slow}`)
}

/** The machine whose reservations have changed, if it is shown and the page does not know that yet. */
const reservedOf =
  ({ isNews }: Reservations, isShown: (sutId: string) => boolean): About['of'] =>
  (change) => {
    const { kind, sut_id } = change
    return kind === 'sut_reservation' && sut_id !== null && isShown(sut_id) && isNews(change) ? sut_id : undefined
  }

const useInView = (span: Stretch) => {
  const { reservations } = usePage()
  const view = useRef({ inView: NONE, near: NONE })
  /** What is being read. */
  const asking = useRef(NONE)
  const isMissing = (id: string): boolean => !isKnown(reservations.all.peek(), id, span)
  const rows = useReading({
    key: `rows ${span.from} ${span.to}`,
    read: async (source, ids) => {
      const { inView, near } = view.current
      const asked = (ids ?? [...near]).filter((id) => near.has(id))
      const [seen, others] = [asked.filter((id) => inView.has(id)), asked.filter((id) => !inView.has(id))]
      asking.current = new Set(asked)
      try {
        for (const some of [seen, others]) if (some.length > 0) await reservations.readRows(source, span, some)
      } finally {
        asking.current = NONE
      }
      return true
    },
    of: reservedOf(reservations, (id) => view.current.near.has(id)),
    isInView: (id) => view.current.inView.has(id) || isMissing(id),
  })
  const { readVisible } = rows
  const onView = useMemo<TimelineReading['onView']>(
    () => (inView, near) => {
      view.current = { inView: new Set(inView), near: new Set([...inView, ...near]) }
      reservations.keepRows(view.current.near)
      readVisible([...view.current.near].filter((id) => !asking.current.has(id) && isMissing(id)))
    },
    [readVisible],
  )
  return { ...rows, onView }
}

/**
 * Keeps the lab as it is: machines, names, and what is reserved about now, of the whole lab; what is reserved in a
 * span, of the machines in view.
 */
export const useTimeline = (span: Stretch): TimelineReading => {
  const [machines, people] = [useReading(MACHINES), useReading(PEOPLE)]
  const soon = useSoon(useMemo(() => slowOf(machines.value), [machines.value]))
  const { onView, ...rows } = useInView(span)
  const failing = [machines, people, soon, rows].find(({ failed }) => failed !== undefined)
  return {
    value: machines.value && people.value && soon.value,
    failed: failing?.failed,
    retry: () => failing?.retry(),
    onView,
  }
}

/** What is reserved of some machines in a span, by machine; undefined until it was read, in whatever span. */
export const useReserved = (
  { from, to }: Stretch,
  sutIds: readonly string[],
  parameters: Readonly<Record<string, string>> = {},
): Reading<ReadonlyMap<string, readonly Booked[]>> => {
  const { reservations } = usePage()
  const about = `reserved ${sutIds.join()}`
  useEffect(() => reservations.hold({ from, to, sutIds }), [about, from, to])
  const reading = useReading({
    ...{ key: `${about} ${from} ${to}`, family: about },
    read: async (source, ids = sutIds) => {
      if (ids.length > 0) await reservations.readSpan(source, { from, to }, ids, parameters)
      return true as const
    },
    of: reservedOf(reservations, (id) => sutIds.includes(id)),
  })
  const { bySut } = reservations.all.value
  return { ...reading, value: reading.value && bySut }
}

/** One reservation, with names; undefined until it was read. */
export const useOneReservation = (id: string): Reservation | undefined => {
  const { reservations } = usePage()
  useReading({
    key: `reservation ${id}`,
    of: (change) => (change._id === id && reservations.isNews(change) ? id : undefined),
    read: async (source) => {
      const path = `/api/sut_reservation/${encodeURIComponent(id)}?include=names,state`
      reservations.put((await source.get(path)).value as Reservation)
      return true
    },
  })
  return reservations.all.value.byId.get(id)
}

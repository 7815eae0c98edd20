import { useComputed } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { isKnown, isLoaded, type Lab } from '../data/lab.ts'
import { turnaroundOf } from '../data/objects.ts'
import { ofKinds } from '../data/reading.ts'
import type { Stretch } from '../features/schedule/calendar.ts'
import { HOUR } from '../format/times.ts'
import type { Refused } from '../service/api.ts'
import { usePage } from './context.ts'
import { useReading } from './use-reading.ts'

export interface LabReading {
  readonly isLoaded: boolean
  readonly failed: Refused | undefined
  readonly retry: () => void
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
const slowOf = ({ suts }: Lab): string =>
  [...suts.values()]
    .filter((sut) => turnaroundOf(sut) > HOUR)
    .map(({ _id }) => _id)
    .join()

/**
 * Keeps the lab as it is: machines, names, and what is reserved about now, of the whole lab; what is reserved in a
 * span, of the machines in view.
 */
export const useLab = (span: Stretch): LabReading => {
  const { lab, clock } = usePage()
  const hour = useComputed(() => Math.floor(clock.value / HOUR) * HOUR).value
  const slow = useComputed(() => slowOf(lab.lab.value)).value
  const view = useRef({ inView: NONE, near: NONE })
  /** What is being read. */
  const asking = useRef(NONE)
  const readings = [
    useReading('suts', (api) => lab.readSuts(api), ofKinds('sut')),
    useReading('people', (api) => lab.readPeople(api), ofKinds('user')),
    useReading(
      `soon ${hour} ${slow}`,
      async (api) => {
        await lab.readSoon(api, around(hour, HOUR))
        if (slow !== '') await lab.readSoon(api, around(hour, LONGEST), slow.split(','))
        lab.forgetOthers(around(hour, LONGEST))
      },
      OUT_OF_VIEW,
    ),
  ]
  const rows = useReading(
    `rows ${span.from} ${span.to}`,
    async (api, ids) => {
      const { inView, near } = view.current
      const asked = (ids ?? [...near]).filter((id) => near.has(id))
      const [seen, others] = [asked.filter((id) => inView.has(id)), asked.filter((id) => !inView.has(id))]
      asking.current = new Set(asked)
      try {
        for (const some of [seen, others]) if (some.length > 0) await lab.readRows(api, span, some)
      } finally {
        asking.current = NONE
      }
    },
    {
      of: ({ kind, sut_id }) =>
        kind === 'sut_reservation' && sut_id !== null && view.current.near.has(sut_id) ? sut_id : undefined,
      isInView: (id) => view.current.inView.has(id) || !isKnown(lab.lab.peek(), id, span),
    },
  )
  const latest = useRef(rows.readVisible)
  latest.current = (ids) => rows.readVisible(ids)
  const onView = useMemo<LabReading['onView']>(
    () => (inView, near) => {
      view.current = { inView: new Set(inView), near: new Set([...inView, ...near]) }
      lab.keepRows(view.current.near)
      const isMissing = (id: string): boolean => !asking.current.has(id) && !isKnown(lab.lab.peek(), id, span)
      latest.current([...view.current.near].filter(isMissing))
    },
    [span.from, span.to],
  )
  const failing = [...readings, rows].find(({ failed }) => failed !== undefined)
  return {
    isLoaded: useComputed(() => isLoaded(lab.lab.value)).value,
    failed: failing?.failed,
    retry: () => failing?.retry(),
    onView,
  }
}

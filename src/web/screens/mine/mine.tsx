import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ownRequests, readAll } from '../../data/lists.ts'
import { type NamedReservation, type Reservation, takenOf } from '../../data/objects.ts'
import { NOTHING, ofKinds } from '../../data/query.ts'
import { isRunning } from '../../data/reservations.ts'
import { BeforeTheEnd } from '../../features/holding/before-the-end.tsx'
import { Quota } from '../../features/people/hours.tsx'
import { RequestCard } from '../../features/queue/card.tsx'
import { ruleText } from '../../features/series/dates.ts'
import { seriesText } from '../../features/series/series.tsx'
import { formatZone, HOUR, toIso } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { useMachines, useReserved } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Page, Section } from '../../parts/show/page.tsx'
import { Subscribe } from '../../parts/show/subscribe.tsx'
import { StateBlock } from '../../parts/state.tsx'
import type { Schemas } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'
import { Ahead, type Held, Past, Running } from './own-rows.tsx'

type Connection = Schemas['Session']

const ASKED_MAX = 50
/** How far ahead reservations are read, to know what follows one. */
const AHEAD_MS = 7 * 24 * HOUR

const useBooked = (sutIds: readonly string[]) => {
  const hour = Math.floor(usePage().minute.value / HOUR) * HOUR
  return useReserved({ from: hour, to: hour + AHEAD_MS }, [...new Set(sutIds)].slice(0, ASKED_MAX)).value
}

/** Milliseconds of connections, by reservation. */
const sumUsed = (sessions: readonly Connection[], now: number): ReadonlyMap<string, number> => {
  const used = new Map<string, number>()
  for (const { reservation_id, opened_at, closed_at } of sessions) {
    const milliseconds = (closed_at === null ? now : Date.parse(closed_at)) - Date.parse(opened_at)
    used.set(reservation_id, (used.get(reservation_id) ?? 0) + milliseconds)
  }
  return used
}

const usePast = (userId: string, most: number, version: string) =>
  useReading(
    {
      ...{ key: `past ${most}`, family: 'past', ...ofKinds('session') },
      read: async (source) => {
        const path = `/api/sut_reservation?user_id=${userId}&include=names,state,cancelled`
        // One more tells whether there are more.
        const all = await readAll<NamedReservation>(source, path, 'sut_reservations', most + 1)
        const past = all.slice(0, most).filter(({ state }) => state !== 'running' && state !== 'ahead')
        const from = Math.min(...past.map(({ start_time }) => Date.parse(start_time)))
        const sessions =
          past.length === 0
            ? []
            : await readAll<Connection>(source, `/api/session?user_id=${userId}&from=${toIso(from)}`, 'sessions')
        const reservations = past.toSorted((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time))
        return { reservations, used: sumUsed(sessions, currentTime()), hasMore: all.length > most }
      },
    },
    version,
  )

/** What is past, at first and with every press on *Show more*. */
const FIRST = 20
const MORE = 1_000

interface PastProps {
  readonly mayReserve: boolean
  /** Those that are not past: they are in the same list, and what is past is read again when they change. */
  readonly notOver: readonly Reservation[]
  readonly isAlone: boolean
}

const PastSection = ({ mayReserve, isAlone, notOver }: PastProps) => {
  const [most, setMost] = useState(FIRST)
  const version = notOver.map(({ _id }) => _id).join()
  const reading = usePast(meOf(usePage())._id, notOver.length + most, version)
  const content = ({ reservations, hasMore, used }: NonNullable<typeof reading.value>) => {
    if (reservations.length === 0)
      return (
        isAlone && (
          <StateBlock icon="calendar" title="You have no reservations">
            <Button label="See what is free" look="primary" href={linkTo('schedule')} />
            <Button label="Reserve any machine" href={linkTo('book')} />
          </StateBlock>
        )
      )
    return (
      <Section title="Past">
        {reservations.map((each) => (
          <Past key={each._id} reservation={each} used={used.get(each._id)} mayReserve={mayReserve} />
        ))}
        {hasMore && (
          <Button
            label="Show more"
            look="quiet small"
            disabled={reading.isFormer}
            onClick={() => setMost(most + MORE)}
          />
        )}
      </Section>
    )
  }
  return (
    <Loaded reading={reading} what="Your past reservations" skeleton={0}>
      {content}
    </Loaded>
  )
}

export const Mine = () => {
  const page = usePage()
  const now = page.clock.value
  const reservations = page.reservations.own.value
  const reading = useReading(page.reservations.readOwn)
  const requests = useReading(ownRequests(meOf(page)._id)).value?.waiting ?? []
  const notOver = reservations.filter(({ end_time }) => Date.parse(end_time) > now)
  const suts = useMachines()
  const booked = useBooked(notOver.map(({ sut_id }) => sut_id))
  const rules = useRules(meOf(page)._id, notOver)
  const mayReserve = meOf(page).role !== 'auditor'
  const held = notOver.map((reservation): Held => {
    const sut = suts.get(reservation.sut_id)
    return { reservation, sut, taken: sut && booked && takenOf(sut, booked.get(sut._id)) }
  })
  const running = held.filter(({ reservation }) => isRunning(reservation, now))
  const ahead = held.filter(({ reservation }) => Date.parse(reservation.start_time) > now)
  const section = (title: string, rows: readonly VNode[]) => rows.length > 0 && <Section title={title}>{rows}</Section>
  const main = () => (
    <div class="plain-sections">
      {section(
        'Running',
        running.map((each) => <Running key={each.reservation._id} held={each} />),
      )}
      {section(
        'Next',
        [...Map.groupBy(ahead, ({ reservation: { _id, series_id } }) => series_id ?? _id)].map(([id, all]) => (
          <AheadAsOne key={id} all={all} rrule={rules?.get(id)} />
        )),
      )}
      {section(
        'Waiting',
        requests.map(({ _id }) => <RequestCard key={_id} id={_id} />),
      )}
      <PastSection mayReserve={mayReserve} isAlone={held.length + requests.length === 0} notOver={notOver} />
    </div>
  )
  return (
    <Page title="Your reservations" beside={<span class="small muted">Times in {formatZone(now)}</span>}>
      <div class="cols">
        <Loaded reading={reading} what="Your reservations" skeleton={4}>
          {main}
        </Loaded>
        <aside class="stack aside">
          <Quota />
          <BeforeTheEnd />
          <div class="row">
            <h2 class="grow">Calendar</h2>
            <Subscribe path="/api/user/me/calendar.ics" />
          </div>
        </aside>
      </div>
    </Page>
  )
}

const MOST = 50

/** The rules of the series that own reservations belong to, by id. Once made they stay the same. */
const useRules = (userId: string, reservations: readonly Reservation[]): ReadonlyMap<string, string> | undefined => {
  const ids = [...new Set(reservations.flatMap(({ series_id }) => series_id ?? []))].sort()
  return useReading({
    ...{ key: `rules ${ids.join()}`, ...NOTHING },
    read: async (api) => {
      if (ids.length === 0) return new Map<string, string>()
      const path = `/api/sut_reservation_series?user_id=${encodeURIComponent(userId)}`
      const series = await readAll<{ _id: string; rrule: string }>(api, path, 'sut_reservation_series')
      return new Map(series.map(({ _id, rrule }) => [_id, rrule]))
    },
  }).value
}

/** A reservation that has not begun, or those of a series as one. */
const AheadAsOne = ({ all, rrule = '' }: { readonly all: readonly Held[]; readonly rrule: string | undefined }) => {
  const [isOpen, setOpen] = useState(false)
  const [first, ...others] = all
  if (first === undefined) return undefined
  const { reservation } = first
  if (!reservation.series_id) return <Ahead held={first} />
  const rule = ruleText(rrule, Date.parse(reservation.start_time))
  const rest = { seriesId: reservation.series_id, count: all.length }
  const about =
    others.length === 0 ? (
      <span class="muted clip">{seriesText(rule, 0)}</span>
    ) : (
      <button type="button" class="more muted clip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {seriesText(rule, others.length)}
      </button>
    )
  return (
    <div>
      <Ahead key={reservation._id} held={first} icon="repeat" about={about} rest={rest} />
      {isOpen && others.slice(0, MOST).map((held) => <Ahead key={held.reservation._id} held={held} icon="repeat" />)}
      {isOpen && others.length > MOST && <p class="small muted">and {others.length - MOST} later</p>}
    </div>
  )
}

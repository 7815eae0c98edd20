import { useEffect, useState } from 'preact/hooks'
import { type Reservation, type Sut, takenOf } from '../../data/objects.ts'
import { ofSut } from '../../data/query.ts'
import { capitalized, formatCount, midnightOf, toIso } from '../../format/format.ts'
import { usePage, useReading } from '../../page/context.ts'
import { useReserved } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { type Command, Confirm, useCommand, useIsMounted } from '../../parts/commands/command.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { floorQuarter, type Stretch } from '../schedule/calendar.ts'
import { occurrencesOf, ruleText, TIMES_MAX, weekly } from './dates.ts'

/** Called with what was made or cancelled, unless one has gone on to something else. */
type OnDone = (all: readonly Reservation[]) => void

/** Series: made as a whole, and what has not begun of them cancelled as a whole. */
export const useSeries = (command: Command) => {
  const { reservations } = usePage()
  const isMounted = useIsMounted()
  const act = (path: string, body: object, show: (each: Reservation) => void, onDone?: OnDone) =>
    command.send(`/api/sut_reservation_series/${path}`, { body }, ({ value }) => {
      const { series_id, sut_reservations } = value as Schemas['SeriesReservations']
      const all = sut_reservations.map((each) => ({ ...each, series_id }))
      for (const each of all) show(each)
      if (isMounted()) onDone?.(all)
    })
  return {
    create: (body: object, onDone: OnDone) => act('create', body, reservations.put, onDone),
    /** Cancels what has not begun of a series. */
    cancelRest: (id: string, onDone?: OnDone) =>
      act(`${encodeURIComponent(id)}/cancel`, {}, ({ _id }) => reservations.remove(_id), onDone),
  }
}

/** Two months. */
export const USUAL_TIMES = 8

interface Options {
  readonly sut: Sut
  readonly window: Stretch
  readonly userId: string
  readonly times: number
  /** Called with what was made. */
  readonly onDone: (all: readonly Reservation[]) => void
}

export type Weekly = ReturnType<typeof useWeekly>

/** `window` is what would be held first: after a release it may begin within a quarter, which later ones do not. */
export const useWeekly = ({ sut, window, userId, times, onDone }: Options) => {
  const command = useCommand()
  const { create } = useSeries(command)
  const first = { from: floorQuarter(window.from), to: window.to }
  const day = midnightOf(first.from, -1)
  // A year and what the longest reservation may add, so that another number of dates is known at once.
  const { value, failed } = useReserved({ from: day, to: midnightOf(day, 7 * (TIMES_MAX + 2)) }, [sut._id])
  const windows = [window, ...weekly(first, times).slice(1)]
  // Undefined until it was read what is in the way of each. The service is the judge.
  const occurrences = value && occurrencesOf(windows, takenOf(sut, value.get(sut._id)))
  const isFree = occurrences?.every((each) => each.taken === undefined) ?? false
  const reserve = async (isBeyondQuota = false): Promise<void> => {
    if (!isFree || command.isOff) return
    const body = {
      ...{ user_id: userId, sut_id: sut._id, start_time: toIso(first.from), end_time: toIso(first.to) },
      ...(isBeyondQuota && { beyond_quota: true }),
      // The service works out the dates, in the browser's zone.
      rrule: `FREQ=WEEKLY;COUNT=${times}`,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
    }
    await create(body, onDone)
  }
  // Why something else was refused does not matter any more.
  useEffect(command.forgive, [first.from, first.to, times, userId])
  return { command, first, occurrences, failed, isFree, reserve }
}

type Series = Schemas['Series']

/** The series that a reservation belongs to; undefined for one of its own, and until it was read. */
const useSeriesOf = ({ _id, sut_id }: Reservation): Series | undefined =>
  useReading<Series | undefined>({
    ...{ key: `series of ${_id}`, ...ofSut(sut_id, 'sut_reservation') },
    read: async (source) => {
      const { series_id } = (await source.get(`/api/sut_reservation/${_id}?include=series`)).value
      return !series_id ? undefined : (await source.get(`/api/sut_reservation_series/${series_id}`)).value
    },
  }).value

/** `every Thursday, 7 more`: how a series goes on after one of its reservations. */
export const seriesText = (rule: string, more: number): string =>
  more === 0 ? `${rule}, the last` : `${rule}, ${more} more`

const cancelQuestion = (name: string, count: number): string =>
  count === 1
    ? `Cancel the last reservation of ${name}, which has not started?`
    : `Cancel all ${formatCount(count, 'reservation')} of ${name} that have not started?`

interface Props {
  readonly reservation: Reservation
  readonly name: string
  readonly mayCancel: boolean
  readonly onCancelled: () => void
}

export const SeriesNote = ({ reservation, name, mayCancel, onCancelled }: Props) => {
  const command = useCommand()
  const { cancelRest } = useSeries(command)
  const series = useSeriesOf(reservation)
  const [isAsking, setAsking] = useState(false)
  if (series === undefined) return undefined
  const start = Date.parse(reservation.start_time)
  const ahead = series.sut_reservations.filter(({ state }) => state === 'ahead')
  const rule = ruleText(series.rrule, start)
  const others = ahead.filter(({ _id }) => _id !== reservation._id)
  const more = ahead.filter(({ start_time }) => Date.parse(start_time) > start).length
  const cancelText = `Cancel ${ahead.length === 1 ? 'the last' : `all ${ahead.length}`}`
  if (isAsking)
    return (
      <Confirm
        question={cancelQuestion(name, ahead.length)}
        action={cancelText}
        doing="Cancelling…"
        back="Keep them"
        command={command}
        onConfirm={() => cancelRest(series._id, onCancelled)}
        onClose={() => setAsking(false)}
      />
    )
  return (
    <div class="row wrap small">
      <span class="row grow second">
        <Icon name="repeat" />
        {seriesText(capitalized(rule), more)}
      </span>
      {mayCancel && others.length > 0 && (
        <Button look="quiet small" disabled={command.isOff} onClick={() => setAsking(true)}>
          {cancelText}
        </Button>
      )}
      <RefusedNote refused={command.refused} />
    </div>
  )
}

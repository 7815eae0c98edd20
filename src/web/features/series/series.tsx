import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reservation } from '../../data/objects.ts'
import { ofSut } from '../../data/query.ts'
import { formatCount } from '../../format/format.ts'
import { type PageContext, usePage } from '../../page/context.ts'
import { useReading } from '../../page/use-reading.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Refused, type Schemas } from '../../service/api.ts'
import { ruleText } from './dates.ts'

/** Series: made as a whole, and what has not begun of them cancelled as a whole. */

type Lab = Pick<PageContext, 'api' | 'reservations'>

const post = async (page: Lab, path: string, body: object): Promise<Schemas['SeriesReservations'] | Refused> => {
  try {
    const { value } = await page.api.send(path, { body })
    return value as Schemas['SeriesReservations']
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

/** Reserves a series. Resolves to why it was refused, if it was. */
export const createSeries = async (page: Lab, body: object): Promise<Refused | undefined> => {
  const made = await post(page, '/api/sut_reservation_series/create', body)
  if (made instanceof Refused) return made
  for (const each of made.sut_reservations) page.reservations.put({ ...each, series_id: made.series_id })
  return undefined
}

export const cancelRest = async (page: Lab, seriesId: string): Promise<Refused | undefined> => {
  const path = `/api/sut_reservation_series/${encodeURIComponent(seriesId)}/cancel`
  const cancelled = await post(page, path, {})
  if (cancelled instanceof Refused) return cancelled
  for (const { _id } of cancelled.sut_reservations) page.reservations.remove(_id)
  return undefined
}

export type Series = Schemas['Series']

/** The series that a reservation belongs to; undefined for one of its own, and until it was read. */
export const useSeriesOf = ({ _id, sut_id }: Reservation): Series | undefined => {
  return useReading<Series | undefined>({
    ...{ key: `series of ${_id}`, ...ofSut(sut_id, 'sut_reservation') },
    read: async (source) => {
      const { series_id } = (await source.get(`/api/sut_reservation/${_id}?include=series`)).value
      return !series_id ? undefined : (await source.get(`/api/sut_reservation_series/${series_id}`)).value
    },
  }).value
}

/** `every Thursday, 7 more`: how a series goes on after one of its reservations. */
export const seriesText = (rule: string, more: number): string =>
  more === 0 ? `${rule}, the last` : `${rule}, ${more} more`

const cancelQuestion = (name: string, count: number): string =>
  count === 1
    ? `Cancel the last reservation of ${name}, which has not started?`
    : `Cancel all ${formatCount(count, 'reservation')} of ${name} that have not started?`

export const SeriesNote = ({
  reservation,
  name,
  mayCancel,
  onCancelled,
}: {
  readonly reservation: Reservation
  readonly name: string
  readonly mayCancel: boolean
  readonly onCancelled: () => void
}): VNode | undefined => {
  const page = usePage()
  const series = useSeriesOf(reservation)
  const [isAsking, setAsking] = useState(false)
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  if (series === undefined) return undefined
  const start = Date.parse(reservation.start_time)
  const ahead = series.sut_reservations.filter(({ state }) => state === 'ahead')
  const rule = ruleText(series.rrule, start)
  const sentence = `${rule.charAt(0).toUpperCase()}${rule.slice(1)}`
  const others = ahead.filter(({ _id }) => _id !== reservation._id)
  const more = ahead.filter(({ start_time }) => Date.parse(start_time) > start).length
  const cancel = async (): Promise<void> => {
    const why = await cancelRest(page, series._id)
    setRefused(why)
    setAsking(false)
    if (why === undefined) onCancelled()
  }
  if (isAsking)
    return (
      <Confirm
        question={cancelQuestion(name, ahead.length)}
        action={`Cancel ${ahead.length}`}
        doing="Cancelling…"
        back="Keep them"
        onConfirm={cancel}
        onBack={() => setAsking(false)}
      />
    )
  return (
    <div class="row wrap small">
      <span class="row grow second">
        <Icon name="repeat" />
        {seriesText(sentence, more)}
      </span>
      {mayCancel && others.length > 0 && (
        <Button look="quiet small" onClick={() => setAsking(true)}>
          Cancel {ahead.length === 1 ? 'the last' : `all ${ahead.length}`}
        </Button>
      )}
      {refused !== undefined && (
        <span class="bad" role="alert">
          {refused.message}
        </span>
      )}
    </div>
  )
}

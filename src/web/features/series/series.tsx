import { useState } from 'preact/hooks'
import type { Reservation } from '../../data/objects.ts'
import { ofSut } from '../../data/query.ts'
import { capitalized, formatCount } from '../../format/format.ts'
import { useReading } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, useCommand } from '../../parts/commands/command.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { ruleText } from './dates.ts'
import { useSeries } from './use-series.ts'

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

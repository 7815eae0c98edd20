import { QUARTER } from '../../domain/calendar/window.ts'
import type { Recorded } from '../../domain/event.ts'
import { secondsIn } from '../state/moments.ts'
import type { Report, Stream } from '../state/state.ts'

type SeriesEvent = Extract<Recorded, { readonly type: 'ReservationSeriesCreated' }>

const floorToQuarter = (moment: number): number => Math.floor(moment / QUARTER) * QUARTER

/** Notes a series. Its reservations follow in the same append. */
export const judgeSeriesCreated = (stream: Stream, { data, metadata }: SeriesEvent, report: Report): void => {
  const [start, end] = [secondsIn(data.start_time), secondsIn(data.end_time)]
  if (stream.sut.status !== 'standing') report(`reserves a SUT that is ${stream.sut.status}`)
  if (!(start < end)) report('has an empty window')
  const { _id, user_id, count } = data
  const first = { start: floorToQuarter(start), end: -floorToQuarter(-end) }
  stream.series = { _id, user_id, count, left: count, requestId: metadata.request_id, first, after: 0 }
}

/** Checks that an event is what must follow a series, or belongs to none. */
export const judgeOfSeries = (stream: Stream, event: Recorded, report: Report): void => {
  const { series } = stream
  const seriesId = event.type === 'ReservationCreated' ? event.data.series_id : undefined
  if (seriesId === undefined && series === undefined) return
  if (event.type !== 'ReservationCreated' || seriesId === undefined || series === undefined) {
    if (series !== undefined)
      report(`comes before all of the series ${series._id}: ${series.left} of its reservations are missing`)
    if (seriesId !== undefined) report(`belongs to the series ${seriesId}, which is not before it`)
    stream.series = undefined
    return
  }
  const { data, metadata } = event
  const [start, end] = [secondsIn(data.start_time), secondsIn(data.end_time)]
  if (seriesId !== series._id) report(`belongs to the series ${seriesId}, after the series ${series._id}`)
  if (data.user_id !== series.user_id) report('has another holder than its series')
  if (metadata.request_id !== series.requestId) report('was recorded for another request than its series')
  if (start < series.after) report('begins before the reservation of its series before it ends')
  const isFirst = series.left === series.count
  if (isFirst && (floorToQuarter(start) !== series.first.start || end !== series.first.end))
    report('has another window than its series says of the first one')
  const left = series.left - 1
  stream.series = left === 0 ? undefined : { ...series, left, after: end }
}

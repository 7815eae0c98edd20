import { QUARTER } from '../../domain/calendar/window.ts'
import type { Recorded } from '../../domain/event.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { Report } from './streams.ts'

/** A series whose reservations have not all come yet. They follow it in the same append. */
interface OpenSeries {
  readonly _id: string
  readonly user_id: string
  readonly requestId: string
  readonly count: number
  /** Reservations still to come. */
  readonly left: number
  /** The first window on the grid, and where the last one ended, in Unix seconds. */
  readonly first: { readonly start: number; readonly end: number }
  readonly after: number
}

type SeriesEvent = Extract<Recorded, { readonly type: 'ReservationSeriesCreated' }>
type Created = Extract<Recorded, { readonly type: 'ReservationCreated' }>

const floorToQuarter = (moment: number): number => Math.floor(moment / QUARTER) * QUARTER

const begin = ({ data, metadata }: SeriesEvent, report: Report): OpenSeries => {
  const [start, end] = [epochSecondsOf(data.start_time), epochSecondsOf(data.end_time)]
  if (!(start < end)) report('has an empty window')
  const { _id, user_id, count } = data
  const first = { start: floorToQuarter(start), end: -floorToQuarter(-end) }
  return { _id, user_id, count, left: count, requestId: metadata.request_id, first, after: 0 }
}

const judgeMember = (series: OpenSeries, { data, metadata }: Created, report: Report): OpenSeries | undefined => {
  const [start, end] = [epochSecondsOf(data.start_time), epochSecondsOf(data.end_time)]
  if (data.series_id !== series._id) report(`belongs to the series ${data.series_id}, after the series ${series._id}`)
  if (data.user_id !== series.user_id) report('has another holder than its series')
  if (metadata.request_id !== series.requestId) report('was recorded for another request than its series')
  if (start < series.after) report('begins before the reservation of its series before it ends')
  const isFirst = series.left === series.count
  if (isFirst && (floorToQuarter(start) !== series.first.start || end !== series.first.end))
    report('has another window than its series says of the first one')
  return series.left === 1 ? undefined : { ...series, left: series.left - 1, after: end }
}

/** Makes the function that checks that an event in the stream of a SUT is what must follow a series, or of none. */
export const makeJudgeSeries = () => {
  const open = new Map<string, OpenSeries>()
  return (event: Recorded, report: Report): void => {
    const series = open.get(event.stream)
    open.delete(event.stream)
    const isMember = event.type === 'ReservationCreated' && event.data.series_id !== undefined
    if (isMember && series !== undefined) {
      const rest = judgeMember(series, event, report)
      if (rest !== undefined) open.set(event.stream, rest)
      return
    }
    if (series !== undefined)
      report(`comes before all of the series ${series._id}: ${series.left} of its reservations are missing`)
    if (isMember) report(`belongs to the series ${event.data.series_id}, which is not before it`)
    if (event.type === 'ReservationSeriesCreated') open.set(event.stream, begin(event, report))
  }
}

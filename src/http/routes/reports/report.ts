import * as E from 'fp-ts/lib/Either.js'
import { addDays, BUCKET_SIZES, type BucketSize, type ZonedSpan } from '../../../domain/calendar/buckets.ts'
import { described, oneOf } from '../../../domain/codec/codec.ts'
import { failure, invalid } from '../../../domain/failure.ts'
import {
  ceilMillisecond,
  floorMillisecond,
  formatMilliseconds,
  type OffsetTime,
} from '../../../domain/values/instant.ts'
import { escapeLineSeparators } from '../../../domain/values/text.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { ReportColumns } from '../../../read-models/reports/cells.ts'
import { inOrder, span } from '../../codecs/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import { timeZone } from '../../codecs/time-zone.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import type { Refusal } from '../../protocol/problem.ts'
import type { Parts } from '../parts.ts'

/** What reports have in common. */

const DAYS_MAX = 400
const ROWS_MAX = 100_000
/** Rows written together: about a millisecond of the main thread. */
const ROWS_PER_PIECE = 250

export const reportSpan = span
export const reportRules = [inOrder('from', 'to')]
export const reportParameters = {
  bucket: described(
    oneOf(...BUCKET_SIZES),
    'The parts of the span that are summed up apart, on the wall clock of time_zone; none by default. Weeks begin on Monday.',
  ),
  time_zone: described(timeZone, 'The time zone of buckets, as in the IANA time zone database; UTC by default.'),
}

interface ReportSpan {
  readonly from: OffsetTime
  readonly to: OffsetTime
  readonly bucket?: BucketSize
  readonly time_zone?: string
}

/** What every report is read with. */
interface ReportRead extends ZonedSpan {
  readonly bucket: BucketSize
  /** Unix milliseconds. */
  readonly now: number
  readonly rowsMax: number
}

/** Up to now, at most. */
export const readSpan = ({ from, to, ...query }: ReportSpan, now: number): E.Either<Refusal, ReportRead> => {
  const { bucket = 'none', time_zone: timeZone = 'UTC' } = query
  const [first, last] = [floorMillisecond(from.instant), ceilMillisecond(to.instant)]
  const refuse = (name: 'from' | 'to', detail: string) => E.left(invalid([inQuery(name, detail)]))
  if (first >= now) return refuse('from', 'is in the future')
  if (last > addDays(first, DAYS_MAX, timeZone)) return refuse('to', `must be at most ${DAYS_MAX} days after from`)
  return E.right({ from: first, to: Math.min(last, now), timeZone, bucket, now, rowsMax: ROWS_MAX })
}

/** Makes rows as objects, some at a time. */
function* rowsOf(
  { buckets, keys, names, rows }: ReportColumns,
  figures: readonly string[],
  nameOf: (key: string) => string,
): Generator<readonly object[]> {
  const width = figures.length + 2
  const piece = width * ROWS_PER_PIECE
  for (let from = 0; from < rows.length; from += piece) {
    const some: object[] = []
    for (let at = from; at < Math.min(from + piece, rows.length); at += width) {
      const [bucket, number] = [rows[at] as number, rows[at + 1] as number]
      const key = keys[number] as string | null
      const row: Record<string, string | number | null> = {
        key,
        name: names === undefined ? key && nameOf(key) : (names[number] as string | null),
        bucket: buckets[bucket] as string | null,
      }
      for (const [n, figure] of figures.entries()) {
        const value = rows[at + 2 + n] as number
        row[figure] = Number.isNaN(value) ? null : value
      }
      some.push(row)
    }
    yield some
  }
}

/** Responds with a report, of which `undefined` has too many rows. */
export const respondWithReport = (
  { sending, nameOf }: Pick<Parts, 'sending' | 'nameOf'>,
  { user }: Pick<Call, 'user'>,
  { from, to, timeZone }: ZonedSpan,
  { position, listed }: ListResult<ReportColumns | undefined>,
  figures: readonly string[],
): Awaited<RouteResult> => {
  if (listed === undefined) {
    const most = ROWS_MAX.toLocaleString('en')
    return E.left(failure('report_too_large', `It has more than ${most} rows. Ask for less time or larger buckets.`))
  }
  function* pieces(report: ReportColumns): Generator<string> {
    const head = { from: formatMilliseconds(from), to: formatMilliseconds(to), time_zone: timeZone }
    yield `${JSON.stringify(head).slice(0, -1)},"rows":[`
    let comma = ''
    for (const rows of rowsOf(report, figures, nameOf)) {
      yield comma + escapeLineSeparators(JSON.stringify(rows).slice(1, -1))
      comma = ','
    }
    yield ']}'
  }
  return sending(() => pieces(listed), position, user._id)
}

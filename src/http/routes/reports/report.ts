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
import type { ReportColumns, ReportQuery } from '../../../read-models/reports/cells.ts'
import { inOrder, span } from '../../codecs/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import { timeZone } from '../../codecs/time-zone.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { CSV, csvHead, csvLine } from '../../response/csv-lists.ts'
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

interface Asked {
  readonly from: OffsetTime
  readonly to: OffsetTime
  readonly by?: unknown
  readonly bucket?: BucketSize
  readonly time_zone?: string
}

/** What is asked for, up to now, of what its user sees. Of people, testers see themselves. */
export const readAsked = (
  { query, user }: Pick<Call<unknown, Asked>, 'query' | 'user'>,
  now: number,
): E.Either<Refusal, ReportQuery> => {
  const { from, to, by, bucket = 'none', time_zone: timeZone = 'UTC' } = query
  const [first, last] = [floorMillisecond(from.instant), ceilMillisecond(to.instant)]
  const refuse = (name: 'from' | 'to', detail: string) => E.left(invalid([inQuery(name, detail)]))
  if (first >= now) return refuse('from', 'is in the future')
  if (last > addDays(first, DAYS_MAX, timeZone)) return refuse('to', `must be at most ${DAYS_MAX} days after from`)
  const whose = user.role === 'tester' && by === 'user' ? { user_id: user._id } : { scope: user.scope }
  return E.right({ from: first, to: Math.min(last, now), timeZone, bucket, now, rowsMax: ROWS_MAX, ...whose })
}

type Row = Record<string, string | number | null | Readonly<Record<string, number>>>

/** Makes rows as objects, some at a time. */
function* rowsOf(
  { buckets, keys, names, figures, codes, rows }: ReportColumns,
  nameOf: (key: string) => string,
): Generator<readonly Row[]> {
  const width = 2 + figures.length + (codes?.length ?? 0)
  const rowAt = (at: number): Row => {
    const numbers = rows.subarray(at, at + width)
    const [bucket, n] = numbers as unknown as readonly [number, number]
    const key = keys[n] as string | null
    const name = names === undefined ? key && nameOf(key) : (names[n] as string | null)
    const row: Row = { key, name, bucket: buckets[bucket] as string | null }
    for (const [place, figure] of figures.entries()) {
      const value = numbers[2 + place] as number
      row[figure] = Number.isNaN(value) ? null : value
    }
    if (codes === undefined) return row
    const counts = codes.map((code, place) => [code, numbers[2 + figures.length + place] as number] as const)
    return { ...row, refused: Object.fromEntries(counts.filter(([, count]) => count > 0)) }
  }
  const piece = width * ROWS_PER_PIECE
  for (let from = 0; from < rows.length; from += piece) {
    const some: Row[] = []
    for (let at = from; at < Math.min(from + piece, rows.length); at += width) some.push(rowAt(at))
    yield some
  }
}

function* json(head: object, pieces: Iterable<readonly Row[]>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"rows":[`
  let comma = ''
  for (const rows of pieces) {
    yield comma + escapeLineSeparators(JSON.stringify(rows).slice(1, -1))
    comma = ','
  }
  yield ']}'
}

function* csv({ figures, codes }: ReportColumns, pieces: Iterable<readonly Row[]>): Generator<string> {
  const columns = ['key', 'name', 'bucket', ...figures, ...(codes === undefined ? [] : ['refused'])]
  yield csvHead(columns)
  for (const rows of pieces) yield rows.map((row) => csvLine(row, columns)).join('')
}

/** Responds with a report as JSON or CSV. One of `undefined` has too many rows. */
export const respondWithReport = (
  { sending, nameOf }: Pick<Parts, 'sending' | 'nameOf'>,
  { user, mediaType }: Pick<Call, 'user' | 'mediaType'>,
  { from, to, timeZone }: ZonedSpan,
  { position, listed }: ListResult<ReportColumns | undefined>,
): Awaited<RouteResult> => {
  if (listed === undefined) {
    const most = ROWS_MAX.toLocaleString('en')
    return E.left(failure('report_too_large', `It has more than ${most} rows. Ask for less time or larger buckets.`))
  }
  const head = { from: formatMilliseconds(from), to: formatMilliseconds(to), time_zone: timeZone }
  const rows = rowsOf(listed, nameOf)
  return sending(() => (mediaType === CSV ? csv(listed, rows) : json(head, rows)), position, user._id)
}

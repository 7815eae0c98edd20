import * as E from 'fp-ts/lib/Either.js'
import { addDays, BUCKET_SIZES, type BucketSize, type ZonedSpan } from '../../../domain/calendar/buckets.ts'
import { described, oneOf, parsed } from '../../../domain/codec/codec.ts'
import { tagName } from '../../../domain/events/sut.ts'
import { refuse } from '../../../domain/failure.ts'
import type { User } from '../../../domain/user/user.ts'
import {
  ceilMillisecond,
  floorMillisecond,
  formatMilliseconds,
  type OffsetTime,
} from '../../../domain/values/instant.ts'
import { escapeLineSeparators } from '../../../domain/values/text.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { ReportBy, ReportColumns, ReportQuery } from '../../../read-models/reports/cells.ts'
import { inOrder, span, timeZone } from '../../codecs/lists.ts'
import { queryOf, refuseParameter, TAG } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { CSV, csvHead, csvLine } from '../../response/csv-lists.ts'
import type { MakePieces } from '../../response/sending.ts'
import type { Parts } from '../parts.ts'

const DAYS_MAX = 400
const ROWS_MAX = 100_000
/** Rows written together: about a millisecond of the main thread. */
const ROWS_PER_PIECE = 250

const MUST_BE_BY = 'must be sut, user, none, or tag. and the name of a tag'

const by = parsed<ReportBy>(
  'by',
  (text) => {
    if (text === 'sut' || text === 'user' || text === 'none') return E.right(text)
    const tag = text.slice(TAG.length)
    return text.startsWith(TAG) && tagName.is(tag) ? E.right({ tag }) : E.left(MUST_BE_BY)
  },
  MUST_BE_BY,
  () => ({ type: 'string', pattern: '^(?:sut|user|none|tag\\.[A-Za-z0-9][A-Za-z0-9._-]{0,63})$' }),
)

const parameters = {
  bucket: described(
    oneOf(...BUCKET_SIZES),
    'The parts of the span that are summed up apart, on the wall clock of time_zone; none by default. Weeks begin on Monday.',
  ),
  time_zone: described(timeZone, 'The time zone of buckets, as in the IANA time zone database; UTC by default.'),
}
const spanned = { required: span, rules: [inOrder('from', 'to')] }

const usageBy = described(
  by,
  'What to sum up by: sut, user, a tag as tag.rack, or none, by default. Testers see sut and none of the SUTs in their scope, and of user their own row.',
)
const usageQuery = queryOf({ by: usageBy, ...parameters }, spanned)

const demandBy = described(
  oneOf('user', 'none'),
  'What to sum up by; none by default. Testers see their own row by user.',
)
const demandQuery = queryOf({ by: demandBy, ...parameters }, spanned)

interface Asked<By> {
  readonly from: OffsetTime
  readonly to: OffsetTime
  readonly by?: By
  readonly bucket?: BucketSize
  readonly time_zone?: string
}
type Query<By> = ReportQuery & { readonly by: By | 'none' }

/** What is asked for, up to now, of what its user sees. Of people, testers see themselves. */
const readAsked = <By extends ReportBy>(
  { query, user }: Call<unknown, Asked<By>>,
  now: number,
): E.Either<Refusal, Query<By>> => {
  const { from, to, by = 'none', bucket = 'none', time_zone: timeZone = 'UTC' } = query
  const [first, last] = [floorMillisecond(from.instant), ceilMillisecond(to.instant)]
  if (user.role === 'tester' && typeof by === 'object')
    return refuse('forbidden', 'Testers see usage by SUT, of all together, and their own.')
  if (first >= now) return refuseParameter('from', 'is in the future')
  if (last > addDays(first, DAYS_MAX, timeZone))
    return refuseParameter('to', `must be at most ${DAYS_MAX} days after from`)
  const whose = user.role === 'tester' && by === 'user' ? { user_id: user._id } : { scope: user.scope }
  return E.right({ from: first, to: Math.min(last, now), timeZone, by, bucket, now, rowsMax: ROWS_MAX, ...whose })
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

type Read = ListResult<ReportColumns | undefined>

/** The pieces of a report as JSON or CSV. One of `undefined` has too many rows. */
export const reportPieces = (
  { nameOf }: Pick<Parts, 'nameOf'>,
  { mediaType }: Pick<Call, 'mediaType'>,
  { from, to, timeZone }: ZonedSpan,
  columns: ReportColumns | undefined,
): E.Either<Refusal, MakePieces> => {
  if (columns === undefined) {
    const most = ROWS_MAX.toLocaleString('en')
    return refuse('report_too_large', `It has more than ${most} rows. Ask for less time or larger buckets.`)
  }
  const head = { from: formatMilliseconds(from), to: formatMilliseconds(to), time_zone: timeZone }
  const rows = rowsOf(columns, nameOf)
  return E.right(() => (mediaType === CSV ? csv(columns, rows) : json(head, rows)))
}

/** Makes the handler of a report from what reads it. Its place is taken before: reading it takes the longest. */
export const reporting =
  <By extends ReportBy>(read: (parts: Parts, query: Query<By>, user: User) => Promise<E.Either<Refusal, Read>>) =>
  async (parts: Parts, call: Call<unknown, Asked<By>>): RouteResult => {
    const asked = readAsked(call, parts.clock())
    if (E.isLeft(asked)) return asked
    const place = parts.sending(call.user._id)
    if (E.isLeft(place)) return place
    let isSent = false
    try {
      const report = await read(parts, asked.right, call.user)
      if (E.isLeft(report)) return report
      const pieces = reportPieces(parts, call, asked.right, report.right.listed)
      isSent = E.isRight(pieces)
      return E.map((makePieces: MakePieces) => place.right.send(makePieces, report.right.position))(pieces)
    } finally {
      if (!isSent) place.right.leave()
    }
  }

const LIMITS = 'At most 400 days, up to now, as at most 100,000 rows that have anything but 0, by bucket, then key.'
const ofReports = {
  ...{ description: LIMITS, roles: everyone, otherMediaTypes: [CSV] },
  refusals: ['report_too_large', 'store_full'],
} as const

export const reportRoutes: readonly Route<Parts>[] = [
  get('/api/report/usage', {
    id: 'reportUsage',
    summary: 'Report for how long SUTs were held and used',
    guide: 'reports.md#usage',
    ...ofReports,
    query: usageQuery,
    answer: refTo('UsageReport'),
    handler: reporting((parts, query) =>
      parts.objects.showList('usageReport', { ...query, forwarded: parts.forwardedTags }),
    ),
  }),
  get('/api/report/demand', {
    id: 'reportDemand',
    summary: 'Report what was asked for, and for how long it was waited for',
    guide: 'reports.md#demand',
    ...ofReports,
    query: demandQuery,
    answer: refTo('DemandReport'),
    handler: reporting((parts, query, { _id: reader }) => parts.objects.showList('demandReport', { ...query, reader })),
  }),
]

import * as E from 'fp-ts/lib/Either.js'
import { described, oneOf, parsed } from '../../../domain/codec/codec.ts'
import { tagName } from '../../../domain/events/sut.ts'
import { failure } from '../../../domain/failure.ts'
import type { ReportBy } from '../../../read-models/reports/cells.ts'
import { type QueryOf, queryOf, TAG } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { CSV } from '../../response/csv-lists.ts'
import type { Parts } from '../parts.ts'
import { readAsked, reportParameters, reportRules, reportSpan, respondWithReport } from './report.ts'

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

const usageQuery = queryOf(
  {
    by: described(
      by,
      'What to sum up by: sut, user, a tag as tag.rack, or none, by default. Testers see sut and none of the SUTs in their scope, and of user their own row.',
    ),
    ...reportParameters,
  },
  { required: reportSpan, rules: reportRules },
)

const readUsage = async (parts: Parts, call: Call<unknown, QueryOf<typeof usageQuery>>): RouteResult => {
  const { by = 'none' } = call.query
  if (call.user.role === 'tester' && typeof by === 'object')
    return E.left(failure('forbidden', 'Testers see usage by SUT, of all together, and their own.'))
  const asked = readAsked(call, parts.clock())
  if (E.isLeft(asked)) return asked
  const read = await parts.objects.showList('usageReport', { ...asked.right, by, forwarded: parts.forwardedTags })
  return E.isLeft(read) ? read : respondWithReport(parts, call, asked.right, read.right)
}

const demandQuery = queryOf(
  {
    by: described(oneOf('user', 'none'), 'What to sum up by; none by default. Testers see their own row by user.'),
    ...reportParameters,
  },
  { required: reportSpan, rules: reportRules },
)

const readDemand = async (parts: Parts, call: Call<unknown, QueryOf<typeof demandQuery>>): RouteResult => {
  const { by = 'none' } = call.query
  const asked = readAsked(call, parts.clock())
  if (E.isLeft(asked)) return asked
  const read = await parts.objects.showList('demandReport', { ...asked.right, by, reader: call.user._id })
  return E.isLeft(read) ? read : respondWithReport(parts, call, asked.right, read.right)
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
    handler: readUsage,
  }),
  get('/api/report/demand', {
    id: 'reportDemand',
    summary: 'Report what was asked for, and for how long it was waited for',
    guide: 'reports.md#demand',
    ...ofReports,
    query: demandQuery,
    answer: refTo('DemandReport'),
    handler: readDemand,
  }),
]

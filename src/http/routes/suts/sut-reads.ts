import * as E from 'fp-ts/lib/Either.js'
import type { ListenPort } from '../../../../projections/listen-port.ts'
import type { RecordedSettings, SutInternal } from '../../../../projections/sut.ts'
import { alignToGrid, type Window } from '../../../domain/calendar/window.ts'
import { described, instant, oneOf, text } from '../../../domain/codec/codec.ts'
import { dictionary } from '../../../domain/codec/object-codec.ts'
import { SutType, tagName } from '../../../domain/events/sut.ts'
import type { Failure } from '../../../domain/failure.ts'
import { MONITORED } from '../../../domain/monitoring/status.ts'
import type { OffsetTime } from '../../../domain/values/instant.ts'
import { asOfParameter, asOfRoles, ofPages, paging, wholeSpan } from '../../codecs/lists.ts'
import { apart, onlyTrue, type QueryOf, queryOf, refuseParameter, wordsOf, yesOrNo } from '../../codecs/query.ts'
import type { Call } from '../../protocol/call.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { CSV, CSV_COLUMNS } from '../../response/csv-lists.ts'
import { documentResponse } from '../../response/objects.ts'
import { respondWithList } from '../list-response.ts'
import { momentOf, type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'

/** Settings are known only as they are now. */
const settingsAreNow = apart(['include'], 'as_of')

const sutQuery = queryOf(
  {
    include: described(
      wordsOf('settings'),
      'What to add: settings, which are what administrators set. Others see turnaround and release_unused_after alone. Not with as_of.',
    ),
    as_of: asOfParameter,
  },
  { rules: [settingsAreNow] },
)

/** Parameters of every list of SUTs. */
export const sutFilters = {
  sut_type: described(SutType, 'Only SUTs of this type.'),
  is_active: described(yesOrNo, 'Only active SUTs, or only inactive ones.'),
  monitoring: described(
    oneOf(...MONITORED),
    'Only SUTs that probes found online or offline, have not probed yet, or that are not monitored.',
  ),
  name: described(text(1, 256), 'Only SUTs whose name contains this text, ignoring case.'),
  free_from: described(
    instant,
    'With free_to: only SUTs that are active and have no reservation in this span, widened to the grid.',
  ),
  free_to: described(instant, 'The end of that span (exclusive).'),
  'tag.': dictionary('tags', tagName, text(0, 256)),
}

const FREE = ['free_from', 'free_to'] as const
/** With `retired` nothing is free, and with `as_of` nothing is known of it. */
export const freeRules = [wholeSpan(...FREE), apart(['retired', 'as_of'], ...FREE)]

const sutsQuery = queryOf(
  {
    ...paging,
    ...sutFilters,
    include: described(
      wordsOf('settings'),
      'What to add: settings, of which lists have what everybody sees. Not with as_of, and not in CSV.',
    ),
    as_of: asOfParameter,
    retired: described(onlyTrue, 'Only retired SUTs, which are in no other list.'),
  },
  { rules: [...ofPages, ...freeRules, settingsAreNow] },
)

/**
 * The span in which SUTs are to be free, on the grid, without what is past, so that what was released in the current
 * quarter-hour is free again. Refused if all of it is past.
 */
export const freeSpan = (
  { free_from, free_to }: { readonly free_from?: OffsetTime; readonly free_to?: OffsetTime },
  now: number,
): E.Either<Failure, Window | undefined> => {
  if (free_from === undefined || free_to === undefined) return E.right(undefined)
  const { start, end } = alignToGrid(free_from.instant, free_to.instant)
  if (end * 1000 <= now) return refuseParameter('free_to', 'is in the past')
  return E.right({ start: Math.max(start, Math.min(Math.ceil(now / 1000), end - 1)), end })
}

/** Adds settings to the document of a SUT, as JSON text: without more, what everybody sees. */
const withSettings = (
  document: string,
  { turnaround = 0, release_unused_after = 0 }: RecordedSettings,
  more: object = {},
): string => {
  const settings = { turnaround, release_unused_after, ...more }
  return `${document.slice(0, -1)},"settings":${JSON.stringify(settings)}}`
}

/** Shows one SUT, now or as of a past moment, of which its settings are not known. */
const show: Show<Parts, Call<unknown, QueryOf<typeof sutQuery>>> = async (
  { views, vault },
  { query, user },
  version,
) => {
  if (query.include === undefined) return E.right(documentResponse('sut', version, false))
  const { id, internal } = version
  const { settings, status } = JSON.parse(internal) as SutInternal
  const respond = (more?: object) =>
    E.right(documentResponse('sut', { ...version, document: withSettings(version.document, settings, more) }, false))
  if (user.role !== 'administrator') return respond()
  const { monitoring_interval, rdp_width = null, rdp_height = null } = settings
  // Views are read before anything is awaited, so that they are those of the document.
  const port = views.newest('listen_port', id)
  const { listen_port } = port === undefined ? { listen_port: null } : (JSON.parse(port.document) as ListenPort)
  const has = await vault.has(id)
  return respond({
    // Null once the SUT is retired.
    listen_port,
    // Null if it is not monitored.
    monitoring_interval: (status === 'disabled' ? undefined : monitoring_interval) ?? null,
    has_password: has.password,
    has_user_name: has.user_name,
    ...{ rdp_width, rdp_height },
  })
}

const list = (parts: Parts, call: Call<unknown, QueryOf<typeof sutsQuery>>) =>
  respondWithList(parts, call, ['sut', 'suts', 'suts'], async () => {
    const { sut_type, is_active, monitoring, name, 'tag.': tags = {}, retired, include } = call.query
    const free = freeSpan(call.query, parts.clock())
    if (E.isLeft(free)) return free
    const moment = await momentOf(parts, call)
    if (E.isLeft(moment)) return moment
    const { asOf } = moment.right
    const filters = { sut_type, is_active, monitoring, name, tags, retired, free: free.right }
    return E.right({
      query: { ...filters, asOf, scope: call.user.scope, withSettings: include !== undefined },
      columns: CSV_COLUMNS.sut,
      show: (document, details) =>
        details ? withSettings(document, JSON.parse(details.settings) as RecordedSettings) : document,
    })
  })

export const sutReads: readonly Route<Parts>[] = [
  get('/api/sut', {
    id: 'listSuts',
    summary: 'List SUTs, newest created first',
    guide: 'machines.md#find',
    roles: everyone,
    parameterRoles: asOfRoles,
    otherMediaTypes: [CSV],
    query: sutsQuery,
    answer: refTo('SutList'),
    refusals: ['list_too_large', 'store_full'],
    handler: list,
  }),
  get('/api/sut/:id', {
    id: 'readSut',
    summary: 'Read a SUT',
    roles: everyone,
    parameterRoles: asOfRoles,
    query: sutQuery,
    answer: refTo('Sut'),
    isTagged: true,
    refusals: ['sut_not_found', 'store_full'],
    handler: withVisible('sut', show),
  }),
]

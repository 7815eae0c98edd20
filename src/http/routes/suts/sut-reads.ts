import * as E from 'fp-ts/lib/Either.js'
import type { ListenPort } from '../../../../projections/listen-port.ts'
import type { RecordedSettings, SutInternal } from '../../../../projections/sut.ts'
import { asOfRoles } from '../../codecs/as-of.ts'
import { type SutQuery, type SutsQuery, sutQuery, sutsQuery } from '../../codecs/suts.ts'
import { type Declaration, everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Call } from '../../protocol/route.ts'
import { CSV } from '../../response/csv-lists.ts'
import { documentResponse } from '../../response/objects.ts'
import { respondWithList } from '../list-response.ts'
import { nowOrAsOf, type Show, showListAsOf, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'
import { freeSpan } from './availability.ts'

/** What administrators set and the document of a SUT leaves out. Others see the first two. */
interface SutSettings {
  /** Seconds between two reservations. */
  readonly turnaround: number
  /** Seconds after which a reservation that nobody uses is released; 0 is never. */
  readonly release_unused_after: number
  /** Null once the SUT is retired. */
  readonly listen_port?: number | null
  /** Seconds between probes; null if the SUT is not monitored. */
  readonly monitoring_interval?: number | null
  readonly has_password?: boolean
  readonly has_user_name?: boolean
  readonly rdp_width?: number | null
  readonly rdp_height?: number | null
}

/** Adds settings to the document of a SUT, as JSON text: without more, what everybody sees. */
const withSettings = (
  document: string,
  { turnaround = 0, release_unused_after = 0 }: RecordedSettings,
  more: Partial<SutSettings> = {},
): string => {
  const settings: SutSettings = { turnaround, release_unused_after, ...more }
  return `${document.slice(0, -1)},"settings":${JSON.stringify(settings)}}`
}

/** Shows one SUT, now or as of a past moment, of which its settings are not known. */
const show: Show<Parts, Call<unknown, SutQuery>> = async ({ views, vault }, { query, user }, version) => {
  if (!query.withSettings) return E.right(documentResponse('sut', version, false))
  const { id, internal } = version
  const { settings, status } = JSON.parse(internal) as SutInternal
  const respond = (more?: Partial<SutSettings>) =>
    E.right(documentResponse('sut', { ...version, document: withSettings(version.document, settings, more) }, false))
  if (user.role !== 'administrator') return respond()
  const { monitoring_interval, rdp_width = null, rdp_height = null } = settings
  // Views are read before anything is awaited, so that they are those of the document.
  const port = views.newest('listen_port', id)
  const { listen_port } = port === undefined ? { listen_port: null } : (JSON.parse(port.document) as ListenPort)
  const has = await vault.has(id)
  return respond({
    listen_port,
    monitoring_interval: (status === 'disabled' ? undefined : monitoring_interval) ?? null,
    has_password: has.password,
    has_user_name: has.user_name,
    ...{ rdp_width, rdp_height },
  })
}

const list = (parts: Parts, call: Call<unknown, SutsQuery>) =>
  respondWithList(parts, call, ['sut', 'suts'], async (part) => {
    const { before: _before, pagedBy: _pagedBy, as_of, free, ...asked } = call.query
    const span = freeSpan(free, parts.clock())
    if (E.isLeft(span)) return span
    const query = { ...asked, ...part, scope: call.user.scope, free: span.right }
    const read = await showListAsOf(parts, 'suts', query, as_of)
    if (E.isLeft(read)) return read
    const { details } = read.right.listed
    const show = (document: string, n: number): string =>
      details === undefined
        ? document
        : withSettings(document, JSON.parse(details[n]?.settings ?? '{}') as RecordedSettings)
    return E.right({ ...read.right, csvList: { of: 'sut' }, show })
  })

export const sutReads: readonly Declaration<Parts>[] = [
  get('/api/sut', {
    id: 'listSuts',
    summary: 'List SUTs, newest created first',
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
    handler: nowOrAsOf('sut', withVisible('sut', show), show),
  }),
]

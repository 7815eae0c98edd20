import * as E from 'fp-ts/lib/Either.js'
import type { ListenPort } from '../../../../projections/listen-port.ts'
import type { RecordedSettings, SutInternal } from '../../../../projections/sut.ts'
import type { Version } from '../../../read-models/tables/version.ts'
import { asOfRoles } from '../../codecs/as-of.ts'
import { type SutQuery, sutQuery } from '../../codecs/suts.ts'
import { everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { documentResponse } from '../../response/objects.ts'
import { findNewest, visibleTo } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'

/** What administrators set and the document of a SUT leaves out. Others see the first two. */
export interface SutSettings {
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

/** What everybody sees of a SUT's settings. */
export const settingsOfEverybody = ({
  turnaround = 0,
  release_unused_after = 0,
}: RecordedSettings): Pick<SutSettings, 'turnaround' | 'release_unused_after'> => ({ turnaround, release_unused_after })

/** Adds settings to the document of a SUT, as JSON text. */
export const withSettings = (document: string, settings: SutSettings): string =>
  `${document.slice(0, -1)},"settings":${JSON.stringify(settings)}}`

const settingsOf = async (
  { views, vault }: Pick<Parts, 'views' | 'vault'>,
  { id, internal }: Version,
  { role }: Call['user'],
): Promise<SutSettings> => {
  const { settings, status } = JSON.parse(internal) as SutInternal
  const { monitoring_interval, rdp_width, rdp_height } = settings
  const ofEverybody = settingsOfEverybody(settings)
  if (role !== 'administrator') return ofEverybody
  // Views are read before anything is awaited, so that they are those of the document.
  const port = views.newest('listen_port', id)
  const { listen_port } = port === undefined ? { listen_port: null } : (JSON.parse(port.document) as ListenPort)
  const has = await vault.has(id)
  return {
    ...ofEverybody,
    listen_port,
    monitoring_interval: (status === 'disabled' ? undefined : monitoring_interval) ?? null,
    has_password: has.password,
    has_user_name: has.user_name,
    rdp_width: rdp_width ?? null,
    rdp_height: rdp_height ?? null,
  }
}

/** Reads one SUT, now or as of a past moment. */
const read = (parts: Parts, call: Call<unknown, SutQuery>): RouteResult => {
  const newest = async ({ params, query, user }: Call<unknown, SutQuery>): RouteResult => {
    const found = await findNewest(visibleTo(parts.objects, user), 'sut', params.id)
    if (E.isLeft(found)) return found
    const version = found.right
    if (!query.withSettings) return E.right(documentResponse('sut', version, false))
    const settings = await settingsOf(parts, version, user)
    const document = withSettings(version.document, settings)
    return E.right(documentResponse('sut', { ...version, document }, false))
  }
  return parts.asOf.readOr('sut', call, newest)
}

export const readSut = get({
  path: '/api/sut/:id',
  id: 'readSut',
  summary: 'Read a SUT',
  roles: everyone,
  parameterRoles: asOfRoles,
  query: sutQuery,
  answer: refTo('Sut'),
  isTagged: true,
  refusals: ['sut_not_found', 'store_full'],
  handler: read,
})

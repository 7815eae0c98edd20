import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { once } from '../../concurrency/once.ts'
import { withSchema } from '../../domain/codec/json-schema.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/call.ts'
import { refusal } from '../protocol/problem.ts'
import { type DecodeQuery, get, type Route, refTo } from '../protocol/route.ts'
import { compressAll } from '../response/compress.ts'
import { pageHeaders } from '../response/respond.ts'
import type { Parts } from '../routes/parts.ts'
import { type Documents, readDocuments, readPage } from './site.ts'

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

type Headers = Readonly<Record<string, string>>

/** A picture opened by itself has its own styles and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Headers by media type. */
const HEADERS: Readonly<Record<string, Headers>> = {
  [HTML]: pageHeaders(),
  [SVG]: { 'Content-Security-Policy': PICTURE_POLICY },
}

const toResponse = async (content: string | Uint8Array, headers: Headers): Promise<RouteResponse> => {
  const bytes = Buffer.from(content)
  // Bytes are those of a picture, which is compressed by itself. A page has many small files, so these count as well.
  const isText = typeof content === 'string'
  const ETag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
  return {
    status: 200,
    body: { bytes, ...(isText && { compressed: await compressAll(bytes) }) },
    // Clients ask each time whether it has changed, which a new version of Berth may do.
    headers: { 'Cache-Control': 'no-cache', ...headers, ETag },
  }
}

const responses = new Map<string, () => Promise<RouteResponse>>()

interface Serving {
  readonly mediaType?: string | undefined
  /** In place of those that its media type has. */
  readonly headers?: Headers
  /** What the refusal says where there is no document at the address. */
  readonly otherwise?: string | undefined
}

/** Serves what is at an address, with an ETag. It is compressed on the first request and kept. */
const serveDocument = async (
  read: () => Promise<Documents>,
  address: string,
  { mediaType = '', headers = HEADERS[mediaType] ?? {}, otherwise = '' }: Serving = {},
): RouteResult => {
  const content = (await read()).get(address)
  if (content === undefined) return E.left(refusal('not_found', otherwise))
  const respond = responses.get(address) ?? once(() => toResponse(content, headers))
  responses.set(address, respond)
  return E.right(await respond())
}

interface More extends Partial<Pick<Route, 'alias' | 'answer' | 'mediaType'>> {
  /** What the refusal says where the last segment of the path is the name of no document. */
  readonly otherwise?: string
}

/** A document in a format defined by other standards, unless its answer says otherwise. */
const document = (path: string, id: string, summary: string, { otherwise, ...more }: More = {}) =>
  get(path, {
    ...{ id, summary, roles: 'anyone', isTagged: true },
    answer: more.mediaType === undefined ? refTo('Document') : { type: 'string' },
    ...more,
    ...(otherwise !== undefined && { refusals: ['not_found'] }),
    handler: (_, { params }) => {
      const address = path.replace(/:(\w+)/, (_, name: string) => params[name] ?? '')
      return serveDocument(readDocuments, address, { mediaType: more.mediaType, otherwise })
    },
  })

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. All are made
 * beforehand, so there is no path that could lead elsewhere.
 */
const documents: readonly Route<unknown>[] = [
  document('/openapi.json', 'readOpenApi', 'Read this document (OpenAPI 3.1)'),
  document('/asyncapi.json', 'readAsyncApi', 'Read the description of the feed (AsyncAPI 3.0)'),
  document('/schemas/', 'listSchemas', 'List the JSON Schemas of all events', { answer: refTo('SchemaIndex') }),
  document('/schemas/:file', 'readSchema', "Read the JSON Schema (2020-12) of an event's data", {
    otherwise: 'There is no schema of this name.',
  }),
  document('/docs', 'readDocs', 'Open the API documentation', { mediaType: HTML, alias: '/docs/' }),
  document('/docs/swagger-ui.css', 'readDocsStyle', 'Read the stylesheet of Swagger UI', { mediaType: CSS }),
  document('/docs/swagger-ui-bundle.js', 'readDocsScript', 'Read the script of Swagger UI', { mediaType: SCRIPT }),
  document('/guide', 'readGuide', 'Open the guide', { mediaType: HTML, alias: '/guide/' }),
  document('/guide/search.json', 'readGuideSections', 'Read what the search of the guide finds'),
  document('/guide/tour.svg', 'readGuideTour', 'Get a picture of the guide', { mediaType: SVG }),
  document('/guide/schedule.png', 'readGuideSchedule', 'Get a picture of the page', { mediaType: 'image/png' }),
  document('/guide/:chapter', 'readGuideChapter', 'Read a chapter of the guide', {
    ...{ mediaType: HTML, otherwise: 'The guide has no such chapter.' },
  }),
  document('/client/berth.mjs', 'readClient', 'Download the client, which needs Node 20 or later', {
    mediaType: SCRIPT,
  }),
  document('/problems/:code', 'readProblem', 'Read the page about a problem', {
    ...{ mediaType: HTML, otherwise: 'No problem has this code.' },
  }),
]

/** The page for people at `/`, and its files. Their sources are in src/web. */

const readFiles = async () => (await readPage()).documents

// A form is sent by a script.
const PAGE_HEADERS = pageHeaders("'self'", "font-src 'self'")
/** The address of a file has the digest of all of them, so what is there never changes. */
const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const FROM_PROVIDER = 'What the provider gives in place of the user. Other parameters are ignored.'
/** What a provider of single sign-on adds to the address. The page reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({
    type: 'object',
    properties: {
      code: { type: 'string', description: FROM_PROVIDER },
      state: { type: 'string', description: 'What the page sent to the provider.' },
    },
  }),
)

const anyText = { roles: 'anyone', answer: { type: 'string' }, isTagged: true } as const
const page = {
  ...anyText,
  mediaType: HTML,
  handler: ({ singleSignOn }: Parts) =>
    serveDocument(readFiles, singleSignOn === undefined ? '/' : '/login/callback', { headers: PAGE_HEADERS }),
} as const

const serveFile = async (_: unknown, { params: { digest, name = '' } }: Call): RouteResult => {
  const otherwise = 'The page has no such file. It may have been updated.'
  const answer = await serveDocument(readFiles, `/web/${digest}/${name}`, { headers: FILE_HEADERS, otherwise })
  const mediaType = name.endsWith('.css') ? CSS : SCRIPT
  return E.map((file: RouteResponse) => ({ ...file, mediaType }))(answer)
}

export const documentRoutes: readonly Route<Parts>[] = [
  ...documents,
  get('/', { id: 'openPage', summary: 'Open the page for people', ...page }),
  get('/login/callback', {
    ...{ id: 'openPageAfterSignOn', query: ofProvider, ...page },
    summary: 'Open that page again, as a provider of single sign-on does',
  }),
  get('/web/:digest/:name', {
    ...{ id: 'readPageFile', ...anyText, mediaType: SCRIPT, otherMediaTypes: [CSS] },
    summary: 'Read a script or a style sheet of that page',
    refusals: ['not_found'],
    handler: serveFile,
  }),
]

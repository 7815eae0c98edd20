import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { once } from '../../concurrency/once.ts'
import { withSchema } from '../../domain/codec/json-schema.ts'
import type { RouteResponse } from '../protocol/call.ts'
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
const PLAIN = { mediaType: 'text/plain; charset=utf-8' }

type Headers = Readonly<Record<string, string>>

/** A picture opened by itself has its own styles and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** What an address ends with, where a route has several media types. */
const ENDINGS: Readonly<Record<string, string>> = { css: CSS, svg: SVG }

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

interface Serving extends Partial<Pick<Route, 'alias' | 'answer' | 'mediaType' | 'otherMediaTypes' | 'query'>> {
  /** Where it is, if not at the path. */
  readonly addressOf?: (parts: Parts) => string
  /** What has it: the documents, or the page and its files. */
  readonly read?: () => Promise<Documents>
  /** In place of those that its media type has. */
  readonly headers?: Headers
  /** What the refusal says where there is nothing at such an address. */
  readonly otherwise?: string
}

/** Serves what is at an address, with an ETag. It is compressed on the first request and kept. */
const document = (path: string, id: string, summary: string, serving: Serving = {}): Route<Parts> => {
  const { addressOf, read = readDocuments, otherwise, ...more } = serving
  const { mediaType = '', headers = mediaType === HTML ? pageHeaders() : {}, ...route } = more
  return get(path, {
    ...{ id, summary, roles: 'anyone', isTagged: true },
    // A document in a format defined by other standards, unless its answer says otherwise.
    answer: mediaType === '' ? refTo('Document') : { type: 'string' },
    ...route,
    ...(mediaType !== '' && { mediaType }),
    ...(otherwise !== undefined && { refusals: ['not_found'] }),
    handler: async (parts: Parts, { params }) => {
      const address = addressOf?.(parts) ?? path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '')
      const content = (await read()).get(address)
      if (content === undefined) return E.left(refusal('not_found', otherwise ?? ''))
      const respond = responses.get(address) ?? once(() => toResponse(content, headers))
      responses.set(address, respond)
      const response = await respond()
      const ending = ENDINGS[address.replace(/.*\./, '')]
      return E.right(ending === undefined ? response : { ...response, mediaType: ending })
    },
  })
}

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

/** The page for people at `/`, and its files. Their sources are in src/web. */
const ofPage = { read: async () => (await readPage()).documents }
const page: Serving = {
  ...ofPage,
  mediaType: HTML,
  // A form is sent by a script.
  headers: pageHeaders("'self'", "font-src 'self'"),
  addressOf: ({ singleSignOn }) => (singleSignOn === undefined ? '/' : '/login/callback'),
}

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. All are made
 * beforehand, so there is no path that could lead elsewhere.
 */
export const documentRoutes: readonly Route<Parts>[] = [
  document('/openapi.json', 'readOpenApi', 'Read the description of the interface (OpenAPI 3.1)'),
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
  document('/guide/pictures/:picture', 'readGuidePicture', 'Get a picture of the guide', {
    ...{ mediaType: 'image/png', otherMediaTypes: [SVG], otherwise: 'The guide has no such picture.' },
    headers: { 'Content-Security-Policy': PICTURE_POLICY },
  }),
  document('/guide/:chapter', 'readGuideChapter', 'Read a chapter of the guide', {
    ...{ mediaType: HTML, otherwise: 'The guide has no such chapter.' },
  }),
  document('/client/berth.mjs', 'readClient', 'Download the client, which needs Node 20 or later', {
    mediaType: SCRIPT,
  }),
  document('/client/berth.py', 'readPythonClient', 'Download the client for Python 3.9 or later, pytest and Robot', {
    mediaType: 'text/x-python; charset=utf-8',
  }),
  document('/client/with-machine.sh', 'readScript', 'Download a script that needs sh, curl and jq', PLAIN),
  document('/client/berth-api.d.ts', 'readApiTypes', 'Download the TypeScript types of requests and answers', PLAIN),
  document('/problems/:code', 'readProblem', 'Read the page about a problem', {
    ...{ mediaType: HTML, otherwise: 'No problem has this code.' },
  }),
  document('/', 'openPage', 'Open the page for people', page),
  document('/login/callback', 'openPageAfterSignOn', 'Open the page for people after a single sign-on', {
    ...page,
    query: ofProvider,
  }),
  document('/web/:digest/:name', 'readPageFile', 'Read a script or a style sheet of the page for people', {
    ...{ ...ofPage, mediaType: SCRIPT, otherMediaTypes: [CSS] },
    // The address has the digest of all files, so what is there never changes.
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
    otherwise: 'The page has no such file. It may have been updated.',
  }),
]
